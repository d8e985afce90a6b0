// Session loops in the real Claude Code, headless: the plugin, and the settings of `converge hook install claude`.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BLOCK_CAP } from "#hooks/claude-settings";
import { installClaude } from "#hooks/install/claude";
import { byTask, type ClaudeWorld, claudeWorld, PLUGIN, toldIn } from "../support/claude-session.ts";
import { temporary } from "../support/folders.ts";
import type { Script, Turn } from "../support/model-server/script.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const PROMISED = { say: "All of it is done.\n\n<promise>DONE</promise>" };
const OVERLOADED: Turn = { error: { kind: "overloaded" } };

/** Different each time, because repeated output would end a loop by itself. */
const WORDS = "red orange yellow green blue indigo violet black white grey".split(" ");
const WORKS: Script = (turn) => ({
  say: `Now the ${WORDS[turn]} one; ${WORDS.slice(turn).join(", ")} are left.`,
});

/** A row of `converge ls --json`. */
interface Row {
  readonly state: string;
  readonly reason: string;
  readonly iterations: number;
}

async function installed(script: Script): Promise<ClaudeWorld> {
  const world = await claudeWorld(script);
  installClaude({ scope: "user", dir: world.dir, env: world.env });
  return world;
}

async function lastRun({ converge }: ClaudeWorld): Promise<Row | undefined> {
  return (await converge<Row>("ls"))[0];
}

describe("a session loop in Claude Code", () => {
  it("continues three times and ends on the promise, with the plugin, and is listed like any run", async () => {
    const world = await claudeWorld([
      { say: "One." },
      { say: "DONE, almost." },
      { say: "I must not output <promise>DONE</promise> yet." },
      PROMISED,
    ]);
    const { code, stdout } = await world
      .session("--plugin-dir", PLUGIN)
      .type('/converge:ralph "count to three" --max-iterations 5');
    expect([code, stdout.trim()]).toEqual([0, PROMISED.say]);
    const told = toldIn(world.server);
    expect(told).toHaveLength(4);
    expect(told[0]).toContain("hook additional context: [Converge: iteration 1 of at most 5]");
    expect(told[3]).toMatch(/^Stop hook feedback:\n\[Converge: iteration 4 of at most 5\]/);
    const rows = await world.converge<Row>("ls");
    expect(rows).toMatchObject([{ state: "converged", iterations: 4, prompt: "count to three" }]);
    expect(await world.converge<object>("show", "last")).toMatchObject([
      { state: "converged", progress: { iteration: 4, maxIterations: 5, tokens: 4_080 } },
    ]);
    const results = ofType(await world.converge("watch", "last"), "agent.finished").map(
      ({ result }) => result,
    );
    expect(results.map(({ message }) => message)).toEqual([
      "One.",
      "DONE, almost.",
      "I must not output <promise>DONE</promise> yet.",
      PROMISED.say,
    ]);
    for (const { usage, model } of results)
      expect([usage.inputTokens, usage.outputTokens, model]).toEqual([1_000, 20, "claude-sonnet-4-5"]);
  });

  it("ends at max iterations, even beyond Claude Code's own cap of 8 turns", async () => {
    const world = await installed(WORKS);
    const { code } = await world.session().type("/ralph go --max-iterations 10");
    expect(code).toBe(0);
    expect(await lastRun(world)).toMatchObject({ state: "diverged", iterations: 10 });
    expect(toldIn(world.server)).toHaveLength(10);
  });

  it("raises the cap of a running session when a loop needs more", async () => {
    const world = await claudeWorld(WORKS);
    installClaude({ scope: "user", dir: world.dir, env: world.env, maxIterations: 2 });
    // The gate slows the turn down: Claude Code must see the new cap before it reaches the old one.
    await world.session().type('/ralph go --max-iterations 4 --gate "sleep 1"');
    expect(await lastRun(world)).toMatchObject({ state: "diverged", iterations: 4 });
    const settings = fs.readFileSync(path.join(world.env.HOME ?? "", ".claude/settings.json"), "utf8");
    expect(JSON.parse(settings).env).toEqual({ [BLOCK_CAP]: "4" });
  });

  it("continues in the same iteration after a model error", async () => {
    const world = await installed([{ say: "One." }, OVERLOADED, { say: "Two." }, PROMISED]);
    const session = world.session();
    expect((await session.type("/ralph go")).code).toBe(1);
    expect(await lastRun(world)).toMatchObject({ state: "away", iterations: 2 });
    await session.type("go on");
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 3 });
  });

  it("ends when it is cancelled", async () => {
    const world = await installed([{ say: "One." }, OVERLOADED, { say: "Hello." }]);
    const session = world.session();
    await session.type("/ralph go");
    expect((await session.type("/cancel-ralph")).stdout).toContain(
      "Ralph loop cancelled. Stopped in iteration 2",
    );
    expect((await session.type("hello")).stdout.trim()).toBe("Hello.");
    expect(toldIn(world.server)).toHaveLength(3);
    expect(await lastRun(world)).toMatchObject({ state: "stopped", reason: "cancelled by a person" });
  });

  it("refuses the promise until the gate passes", async () => {
    const world = await installed([PROMISED, { say: "I make it.", shell: "echo 3 > three" }, PROMISED]);
    await world.session().type('/ralph "make three" --gate "grep 3 three"');
    expect(toldIn(world.server)[1]).toContain("grep: three: No such file");
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 2 });
  });

  it("keeps two sessions in one folder apart", async () => {
    const world = await installed(
      byTask({
        apples: [{ say: "One apple." }, { say: "Two apples." }, PROMISED],
        plums: [{ say: "One plum." }, PROMISED],
        zebra: [{ say: "Hello." }],
      }),
    );
    const tasks = ["/ralph count the apples", "/ralph count the plums", "zebra"];
    const done = await Promise.all(tasks.map((task) => world.session().type(task)));
    expect(done.map(({ stdout }) => stdout.trim())).toEqual([PROMISED.say, PROMISED.say, "Hello."]);
    const runs = await world.converge<Row>("ls");
    expect(runs.map(({ iterations }) => iterations).sort()).toEqual([2, 3]);
  });

  it("continues in the same iteration after Claude Code was killed", async () => {
    const world = await installed([
      { say: "One." },
      { say: "I wait.", shell: "sleep 3" },
      { say: "Two." },
      PROMISED,
    ]);
    const session = world.session();
    const { child, done } = session.begin("/ralph go");
    await waitFor(() => world.server.asked.some(({ turn }) => turn === 1));
    child.kill("SIGKILL");
    await done;
    await session.type("go on");
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 3 });
  });

  it("passes the typed task literally and executes nothing in it", async () => {
    const world = await installed([PROMISED]);
    const task =
      'Say $HOME and `touch pwned-1` and $(touch pwned-2) and !`touch pwned-3`\n---\n"quoted" $ARGUMENTS $1 {{x}} \\ %s';
    await world.session().type(`/ralph ${task} --max-iterations 3`);
    expect(toldIn(world.server)[0]).toContain(`# The task\n${task}\n`);
    expect(fs.readdirSync(world.dir)).toEqual([]);
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 1 });
  });

  it("runs each iteration once when plugin and settings are both installed", async () => {
    const world = await installed([{ say: "One." }, { say: "Two." }, PROMISED]);
    // The same command in two settings files runs once.
    installClaude({ scope: "project", dir: world.dir, env: world.env });
    await world.session("--plugin-dir", PLUGIN).type("/converge:ralph go");
    const told = toldIn(world.server);
    expect(told.map((text) => text.match(/\[Converge: iteration \d of/g))).toEqual(
      [1, 2, 3].map((at) => [`[Converge: iteration ${at} of`]),
    );
    expect(await world.converge("ls")).toHaveLength(1);
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 3 });
  });

  it("works from the marketplace in a copy of the repository, with the installed command", async () => {
    const world = await claudeWorld([{ say: "One." }, PROMISED]);
    const [copy, bin] = [temporary(), temporary()];
    for (const part of [".claude-plugin", "plugins"])
      fs.cpSync(part, path.join(copy, part), { recursive: true });
    fs.symlinkSync(path.resolve("bin/converge.js"), path.join(bin, "converge"));
    world.env.PATH = `${bin}:${world.env.PATH}`;
    for (const part of [".", "plugins/claude-code"])
      expect((await world.claude("plugin", "validate", path.join(copy, part))).stdout).toContain(
        "Validation passed",
      );
    const added = await world.claude("plugin", "marketplace", "add", copy);
    expect(added.code, added.stdout + added.stderr).toBe(0);
    const got = await world.claude("plugin", "install", "converge@converge-loop");
    expect(got.code, got.stdout + got.stderr).toBe(0);
    await world.session().type("/converge:ralph go");
    expect(await lastRun(world)).toMatchObject({ state: "converged", iterations: 2 });
  });
});
