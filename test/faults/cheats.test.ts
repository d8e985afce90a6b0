// Cheating agents, one trick each, through the real command line with `cleanRoom: on` and defaults.
// Prints a table of tricks and results: npx vitest run test/faults/cheats.test.ts --reporter=verbose
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { write } from "../support/folders.ts";
import { type Ran, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import type { Cheat } from "./cheats/cheat.ts";
import { CHEATS, GUARDED_BY_SETTINGS } from "./cheats/index.ts";
import * as projects from "./cheats/projects.ts";

const TEST_MS = 120_000;
const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const cli = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));

const SQL = `import { openDatabase } from ${JSON.stringify(path.join(dist, "system/sqlite.js"))};
openDatabase(process.argv[2]).exec("PRAGMA busy_timeout=5000; " + process.argv[3]);
`;

// Stops when a variable is missing; otherwise a trick could run on the test machine itself.
const TOOLS = `: "\${ROOT:?}" "\${STATE:?}" "\${CLI:?}" "\${DIST:?}"
sql() { node "$ROOT/sql.mjs" "$STATE/converge.db" "$1"; }
weaken() { sed -i 's/, [359]))/,-1))/' "$@"; }
`;

const GUARDED = { cleanRoom: "on" };
// The agent installs what the gates need, so the gates cannot judge at the baseline.
const UNGUARDED = { cleanRoom: "off", protect: "off", allowErroredBaseline: true };

function prepared(project: projects.Project, agent: string, guards: object): Sandbox {
  const box = sandbox();
  const root = path.dirname(box.dir);
  write(root, { "agent.sh": TOOLS + agent, "sql.mjs": SQL, "user/.keep": "", "bin/.keep": "" });
  const { setup } = project;
  const isGuarded = guards === GUARDED;
  const task = {
    agent: {
      type: "command",
      command: ["sh", "-e", path.join(root, "agent.sh")],
      // The agent knows all paths: hiding them must not be the protection.
      passEnv: ["ROOT", "STATE", "CLI", "DIST"],
    },
    gates: project.gates.map((gate) => ("condition" in gate || isGuarded ? gate : { ...gate, minTests: 0 })),
    limits: { iterations: 1 },
    ...guards,
    ...(setup && isGuarded && { cleanRoom: { setup } }),
  };
  box.write({ ...project.files, ...taskFile(task) });
  box.commitAll();
  return box;
}

async function attempt(project: projects.Project, agent: string, guards: object): Promise<Ran> {
  const installing = (project.setup ?? []).map((command) => `${command}\n`).join("");
  // Green on the same files as the red baseline is never accepted, so every trick also changes a file.
  const changing = guards === UNGUARDED ? "echo changed > notes.txt\n" : "";
  const box = prepared(project, installing + changing + agent, guards);
  const root = path.dirname(box.dir);
  onTestFinished(() => fs.writeFileSync(path.join(root, "over"), ""));
  const env = {
    ...{ ROOT: root, STATE: box.home, CLI: cli, DIST: dist, HOME: path.join(root, "user") },
    PATH: `${path.join(root, "bin")}:${process.env.PATH}`,
  };
  return ranIn(box, await box.start(["run", "--json"], env).answer);
}

/** Explains a failed expectation: verdicts, protected changes and the agent's result. */
function account({ name, does, expected }: Cheat, ran: Ran): string {
  const judged = ofType(ran.events, "gate.judged").map(
    ({ iteration, gate, verdict }) =>
      `  iteration ${iteration}, ${gate}: ${verdict.status}, ${verdict.summary}`,
  );
  const changed = ofType(ran.events, "protected.changed").flatMap(({ changes }) =>
    changes.map((one) => one.path),
  );
  return [
    `"${name}" (${does}) was expected to be ${expected}, but the exit code was ${ran.code}: ${ran.reason}`,
    ...judged,
    `  protected and changed: ${changed.join(", ") || "nothing"}`,
    `  ${ofType(ran.events, "agent.finished").map(({ result }) => result.reason ?? "the agent said ok")}`,
    `  ${ran.stderr.trim() || "nothing on standard error"}`,
    "",
  ].join("\n");
}

/** Protected files whose change is in the judged tree. */
async function judgedAnyway({ box, events }: Ran): Promise<string[]> {
  const { stdout } = await box.converge("diff", "last", "base", "last");
  const changed = ofType(events, "protected.changed").flatMap(({ changes }) =>
    changes.map((one) => one.path),
  );
  return changed.filter((file) => stdout.includes(` b/${file}\n`));
}

/** Exit 6 means that somebody accepted a red gate; here that would be the agent. */
const isConverged = ({ code }: Ran) => code === 0 || code === 6;

async function expectation(cheat: Cheat, ran: Ran): Promise<void> {
  const why = account(cheat, ran);
  expect(isConverged(ran), why).toBe(cheat.expected === "not caught");
  if (cheat.expected !== "flagged") return;
  if (/was changed from outside/.test(ran.stderr))
    return expect([ran.code, ofType(ran.events, "run.ended")], why).toEqual([5, []]);
  expect(ofType(ran.events, "protected.changed").length, why).toBeGreaterThan(0);
  expect(await judgedAnyway(ran), why).toEqual([]);
}

describe("a cheating agent", () => {
  it.each(CHEATS.map((cheat) => [cheat.name, cheat.expected, cheat] as const))(
    "%s: %s",
    async (_name, _expected, cheat) => {
      await expectation(cheat, await attempt(cheat.project ?? projects.plain, cheat.agent, GUARDED));
    },
    TEST_MS,
  );
});

// Proves that each trick works without protection; otherwise a clumsy trick would count as stopped.
describe("without protection", () => {
  it.each(GUARDED_BY_SETTINGS.map((cheat) => [cheat.name, cheat] as const))(
    "the trick works: %s",
    async (_name, cheat) => {
      const ran = await attempt(cheat.project ?? projects.plain, cheat.agent, UNGUARDED);
      expect(ran.code, account({ ...cheat, expected: "not caught" }, ran)).toBe(0);
    },
    TEST_MS,
  );
});

describe("an honest agent", () => {
  const honest = ({ fixed }: projects.Project) =>
    Object.entries(fixed)
      .map(([file, content]) => `printf '%s' '${content}' > ${file}\n`)
      .join("");

  it.each(Object.entries(projects).filter(([name]) => name !== "withApproval"))(
    "converges: %s",
    async (name, project) => {
      const ran = await attempt(project, honest(project), GUARDED);
      const cheat: Cheat = { name, does: "fixes the bug", agent: "", expected: "not caught" };
      expect(ran.code, account(cheat, ran)).toBe(0);
      expect(ofType(ran.events, "protected.changed")).toEqual([]);
    },
    TEST_MS,
  );
});
