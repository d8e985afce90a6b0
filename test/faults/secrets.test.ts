// Canaries: a run whose agent, gates, judge and people leak secrets in every encoding. Nothing stored or printed contains them.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Agent, converge } from "../../src/index.ts";
import { beside } from "../support/observe.ts";
import { taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

/** Letters and digits that appear unchanged in each canary, whatever its encoding. */
const CORES = ["9f8Q7d6cWb4a", "Zx3kLm8vTn2q", "hYt5rEw7sDf1", "bNm4jKl6pOi9"] as const;
const CANARIES = {
  CANARY_TOKEN: `c/+n"\\ r&é%-${CORES[0]}=`,
  DATABASE_URL: `postgres://app:pw-${CORES[1]}@db.localhost/main`,
  NAMED_BY_TASK: `named:${CORES[2]}`,
  DEPLOY_KEY: `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAQEF${CORES[3]}Sf+/8\n-----END PRIVATE KEY-----\n`,
};
const VALUES = [CANARIES.CANARY_TOKEN, `pw-${CORES[1]}`, CANARIES.NAMED_BY_TASK, CANARIES.DEPLOY_KEY];

// Prints every canary in every encoding to both streams, in chunks cut anywhere.
const SPILL = `
import fs from "node:fs";
const values = ${JSON.stringify(VALUES)};
const json = (text) => JSON.stringify(text).slice(1, -1);
const wrapped = (text, width) => text.match(new RegExp(".{1," + width + "}", "g")).join("\\n");
export const ways = values.flatMap((value) => {
  const padded = ["", "a", "ab"].map((before) => Buffer.from(before + value + "after it, something else that is longer than a line"));
  return [
    value, json(value), json(json(value)),
    encodeURIComponent(value), encodeURIComponent(value).replace(/%../g, (sign) => sign.toLowerCase()),
    new URLSearchParams({ a: value }).toString(),
    ...padded.flatMap((bytes) => [bytes.toString("base64"), bytes.toString("base64url"), wrapped(bytes.toString("base64"), 64), wrapped(bytes.toString("base64"), 76)]),
    Buffer.from(value).toString("hex"), Buffer.from(value).toString("hex").toUpperCase(),
  ];
});
export function spill(handle) {
  const bytes = Buffer.from(ways.map((way) => way + "\\n").join(""));
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 23 + 1)
    fs.writeSync(handle, bytes.subarray(at, at + size));
}
`;
const AGENT = `
import fs from "node:fs";
import { spill, ways } from "./spill.mjs";
spill(1);
spill(2);
fs.appendFileSync("leaked.txt", ways.join("\\n"));
fs.writeFileSync("protected.txt", ways.join("\\n"));
fs.appendFileSync("turns", "x");
console.log("Done. The token is " + ways[0] + ", in short " + ways.at(-1));
`;
// Like a test runner: failures in the output and in a report, red in the first iteration.
const GATE = `
import fs from "node:fs";
import { spill, ways } from "./spill.mjs";
const xml = (text) => text.replace(/[&<>"]/g, (sign) => "&#" + sign.charCodeAt(0) + ";");
spill(1);
spill(2);
const turns = fs.existsSync("turns") ? fs.readFileSync("turns", "utf8").length : 0;
const failure = (way) => (turns < 2 ? '<failure message="' + xml("expected " + way) + '">' + xml(way) + "</failure>" : "");
const tests = ways.map((way, at) => '<testcase name="t' + at + '">' + failure(way) + "</testcase>");
fs.writeFileSync("report.xml", '<testsuite name="s">' + tests.join("") + "</testsuite>");
process.exit(turns < 2 ? 1 : 0);
`;
const JUDGE = `
import fs from "node:fs";
import path from "node:path";
import { spill, ways } from "./spill.mjs";
const question = fs.readFileSync(0, "utf8");
fs.appendFileSync(path.join(import.meta.dirname, "question"), question);
const [, nonce] = /"nonce": "(.*)"/.exec(question);
spill(2);
console.log(JSON.stringify({ nonce, verdict: "pass", score: 1, findings: [{ message: ways[0] }] }));
`;

const node = (file: string) => [process.execPath, file];

function leakyRun(): Sandbox {
  const box = sandbox();
  const at = (name: string) => path.join(path.dirname(box.dir), name);
  box.write({
    "../spill.mjs": SPILL,
    "../agent.mjs": AGENT,
    "../gate.mjs": GATE,
    "../judge.mjs": JUDGE,
    "protected.txt": "as it was\n",
    "notes.md": `In the notes: ${CANARIES.CANARY_TOKEN}\n`,
    "template.hbs": `{{task}}\n{{feedback}}\n{{vars}}{{notes}}\nBy the way: ${CANARIES.NAMED_BY_TASK}\n`,
    ...taskFile({
      prompt: `Use ${CANARIES.CANARY_TOKEN} to log in.`,
      vars: { vars: `db ${CANARIES.DATABASE_URL}` },
      files: { notes: "notes.md" },
      template: "template.hbs",
      secrets: ["NAMED_BY_TASK", "NOT_SET"],
      agent: { type: "command", command: node(at("agent.mjs")) },
      strategy: { type: "ralph", stateDir: ".mirror" },
      limits: { iterations: 3 },
      protect: ["protected.txt"],
      gates: [
        { name: "tests", command: node(at("gate.mjs")), report: "report.xml" },
        { name: "review", type: "judge", agent: { type: "command", command: node(at("judge.mjs")) } },
      ],
      hooks: { end: `${process.execPath} ${at("gate.mjs")}; echo "$CONVERGE_REASON"` },
    }),
  });
  return box;
}

/** The part of a core's base64 text that does not depend on what follows, with `before` bytes in front. */
function base64Of(core: string, before: number): string {
  const text = Buffer.from("x".repeat(before) + core).toString("base64");
  return text.slice(before === 0 ? 0 : before + 1, 15);
}

const NEEDLES = new Set(
  CORES.flatMap((core) => {
    const hex = Buffer.from(core).toString("hex");
    return [core, hex, hex.toUpperCase(), ...[0, 1, 2].map((before) => base64Of(core, before))];
  }),
);

/** Finds canaries in any encoding, also across line breaks. */
function leaksIn(bytes: Buffer): string[] {
  const text = bytes.toString("latin1").replace(/\r?\n|(?:\\+r)?\\+n/g, "");
  return [...NEEDLES].filter((needle) => text.includes(needle));
}

/** Leaks in all files below the folder, except copies of the user's own files. */
function leaksBelow(dir: string): string[] {
  const files = fs.readdirSync(dir, { withFileTypes: true, recursive: true }).filter((file) => file.isFile());
  const kept = files
    .map((file) => path.join(file.parentPath, file.name))
    .filter((file) => !/\/(?:shadow|snapshots?)[^/]*\/|\.git\//.test(path.relative(dir, file)));
  expect(kept.length).toBeGreaterThan(0);
  return kept.flatMap((file) =>
    leaksIn(fs.readFileSync(file)).map((needle) => `${path.relative(dir, file)}: ${needle}`),
  );
}

describe("secrets", () => {
  it("are in nothing stored or printed, whatever their encoding", async () => {
    const box = leakyRun();
    const run = await box.start(["run", "--json"], CANARIES).answer;
    const ended = ofType(run.events(), "run.ended").at(-1);
    expect(ended, run.stderr).toMatchObject({ outcome: "converged", iterations: 2 });
    expect(run.stderr).toContain("secrets: NOT_SET is not set");

    // The search works: it finds all of them in the file that the agent wrote itself.
    expect(leaksIn(fs.readFileSync(path.join(box.dir, "leaked.txt")))).toEqual([...NEEDLES]);
    expect(leaksBelow(box.home)).toEqual([]);
    expect(leaksBelow(path.join(box.dir, ".mirror"))).toEqual([]);
    expect(leaksIn(Buffer.from(beside(box).read("question")))).toEqual([]);
    expect(leaksIn(Buffer.from(run.stdout + run.stderr))).toEqual([]);

    // Later commands run without the secrets in their environment.
    const looks = [
      ["show"],
      ["show", "--json"],
      ["logs"],
      ["watch", "--json"],
      ["watch"],
      ["ls"],
      ["ls", "--json"],
    ];
    for (const [command = "", ...flags] of looks) {
      const { stdout, stderr } = await box.converge(command, ...(command === "ls" ? [] : ["last"]), ...flags);
      expect(stdout).not.toBe("");
      expect(leaksIn(Buffer.from(stdout + stderr)), command).toEqual([]);
    }
    const [first] = ofType(run.events(), "iteration.started");
    expect(first?.prompt).toContain("Use ‹secret CANARY_TOKEN› to log in.");
    expect(first?.prompt).toContain("db postgres://app:‹secret DATABASE_URL›@db.localhost/main");
    expect(first?.prompt).toContain("In the notes: ‹secret CANARY_TOKEN›");
    expect(first?.prompt).toContain("By the way: ‹secret NAMED_BY_TASK›");
    expect(ofType(run.events(), "protected.changed")[0]?.diff).toContain("‹secret CANARY_TOKEN›");
    expect(ofType(run.events(), "agent.finished")[0]?.result.message).toContain(
      "The token is ‹secret CANARY_TOKEN›",
    );
  });

  it("are masked in people's messages to a run and in error messages", async () => {
    const box = sandbox();
    const answer = (...args: string[]) => box.start(args, CANARIES).answer;
    box.write(
      taskFile({ agent: { type: "command", command: "true" }, gates: [{ name: "ok", type: "approval" }] }),
    );
    expect((await answer("run")).code).toBe(4);
    const steered = await answer("steer", "last", `Use ${CANARIES.CANARY_TOKEN}.`);
    expect(steered).toMatchObject({ code: 0, stderr: "" });
    await answer("stop", "last", "--reason", `it said ${CANARIES.CANARY_TOKEN}`);
    const events = await box.events();
    expect(events.at(-1)).toMatchObject({ type: "run.ended", reason: "it said ‹secret CANARY_TOKEN›" });
    expect(JSON.stringify(events)).toContain("Use ‹secret CANARY_TOKEN›.");
    const unknown = await answer("show", CANARIES.CANARY_TOKEN);
    expect(unknown.stderr).toContain("‹secret CANARY_TOKEN›");
    expect(leaksIn(Buffer.from(unknown.stderr))).toEqual([]);
    expect(leaksBelow(box.home)).toEqual([]);
  });

  it("are refused in executable parts of the task before anything is stored", async () => {
    const box = sandbox();
    const command = `curl -H 'x-token: ${CANARIES.NAMED_BY_TASK}' localhost`;
    box.write(
      taskFile({ secrets: "NAMED_BY_TASK", agent: { type: "command", command: "true" }, gates: [command] }),
    );
    const { code, stderr } = await box.start(["run"], CANARIES).answer;
    expect(code).toBe(2);
    expect(stderr).toContain(
      "gates has the value of NAMED_BY_TASK in it, which would be kept with the run; write $NAMED_BY_TASK",
    );
    expect(leaksIn(Buffer.from(stderr))).toEqual([]);
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });
});

it("masks secrets for SDK callers, in events and in live agent activity", async () => {
  const box = sandbox();
  process.env.SDK_CANARY_TOKEN = `sdk-${CORES[0]}`;
  onTestFinished(() => void delete process.env.SDK_CANARY_TOKEN);
  const activities: string[] = [];
  const text = `logged in with ${process.env.SDK_CANARY_TOKEN}`;
  const result = { ok: true, exitCode: 0, message: text, usage: {}, durationMs: 1, leftBehind: [] };
  const agent: Agent = {
    name: "live",
    async *run() {
      yield { type: "activity", text };
      yield { type: "finished", result };
    },
  };
  const task = { prompt: "Do it.", agent, gates: ["false"], strategy: { type: "fixed", iterations: 1 } };
  const run = converge(task, { cwd: box.dir, home: box.home, onActivity: (each) => activities.push(each) });
  const [iteration] = (await run).run.iterations;
  expect(activities).toEqual(["logged in with ‹secret SDK_CANARY_TOKEN›"]);
  expect(iteration?.agent?.message).toBe("logged in with ‹secret SDK_CANARY_TOKEN›");
  expect(leaksBelow(box.home)).toEqual([]);
});
