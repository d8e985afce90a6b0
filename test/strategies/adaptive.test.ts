import { describe, expect, it } from "vitest";
import { type Agent, converge, type Strategy } from "../../src/index.ts";
import { asked, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

interface Model {
  readonly runs: number;
  readonly transitions: number;
  readonly situations: readonly { readonly name: string; readonly chance: number; readonly before: number }[];
}

/** An agent without progress: other files each time, and the same message except for a number. */
const NOWHERE = {
  agent: {
    type: "command",
    command: 'echo "$CONVERGE_ITERATION" > n; echo "attempt $CONVERGE_ITERATION failed again"',
  },
};

async function run(box: Sandbox, task: object, ...args: string[]) {
  box.write(
    taskFile({ gates: ["test -e never"], strategy: "adaptive", baseline: false, ...NOWHERE, ...task }),
  );
  return ranIn(box, await box.converge("run", "--json", ...args));
}

const models = (box: Sandbox, ...args: string[]) => asked<Model>(box, "model", "show", ...args);

describe("adaptive", () => {
  it("uses all iterations without lessons, learns from every run, then stops earlier", async () => {
    const box = sandbox();
    const cold = await run(box, { limits: { iterations: 9 } });
    expect(cold.iterations).toBe(9);
    const twice = { strategy: { type: "fixed", iterations: 30 }, limits: { iterations: 30 } };
    for (let times = 0; times < 2; times++) await run(box, twice);
    const taught = await run(box, { limits: { iterations: 14 } });
    expect(taught).toMatchObject({ code: 1, outcome: "diverged" });
    expect(taught.iterations).toBeLessThan(14);
    expect(taught.reason).toMatch(/^not worth another iteration: /);
    const afresh = taught.decisions.filter(({ metadata }) => metadata?.chance === "restarted");
    expect(afresh).toHaveLength(1);
    const [model] = await models(box);
    expect(model).toMatchObject({ runs: 4 });
    for (const { chance, before } of model?.situations ?? []) expect(chance).toBeLessThan(before);
  });

  it("warns the agent once about a circle and stops the run when it continues", async () => {
    const ran = await run(sandbox(), {
      agent: { type: "command", command: "echo $((CONVERGE_ITERATION % 2)) > n; echo again" },
      limits: { iterations: 9 },
    });
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 6 });
    expect(ran.prompts[5]).toContain("iterations 1, 3 and 5 left the same files and the same failures.");
    expect(ran.reason).toMatch(/^stuck: iterations 2, 4 and 6/);
  });

  it("decides by the weights of its start, also after a resume", async () => {
    const box = sandbox();
    const first = await run(box, { limits: { iterations: 4 } });
    const [started] = ofType(first.events, "run.started");
    expect(started?.task.strategy).toMatchObject({ type: "adaptive", weights: { transitions: 0 } });
    await box.converge("resume", "last", "--max-iterations", "6");
    const decisions = ofType(await box.events(), "decision.made").map(({ decision }) => decision.metadata);
    expect(decisions.at(-2)).toMatchObject({
      transitions: 0,
      next: expect.any(Number),
      grant: expect.any(Number),
    });
  });

  it("model reset deletes what was learned, and --rebuild learns it again from the recorded runs", async () => {
    const box = sandbox();
    await run(box, { limits: { iterations: 3 } });
    const [before] = await models(box);
    expect(before).toMatchObject({ runs: 1, transitions: 2 });
    expect((await box.converge("model", "reset")).stdout).toContain("deleted what was learned from 1 run");
    expect(await models(box, "--all")).toEqual([]);
    await box.converge("model", "reset", "--rebuild");
    expect(await models(box)).toEqual([before]);
    const { stdout } = await box.converge("model");
    expect(stdout).toContain("1 run, 2 iterations that did not pass");
  });

  it("a restart begins a new session of an agent that otherwise resumes its own", async () => {
    const { dir, home } = sandbox();
    const sessions: (string | undefined)[] = [];
    const agent: Agent = {
      name: "live",
      resumes: true,
      async *run({ iteration, session }) {
        sessions.push(session);
        const result = { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 0, leftBehind: [] };
        yield { type: "finished", result: { ...result, sessionId: `session-${iteration}` } };
      },
    };
    const strategy: Strategy = ({ iterations: { length } }) => ({
      continue: length < 4,
      ...(length === 2 && { fresh: true }),
      reason: "as told",
      confidence: 1,
    });
    await converge(
      { prompt: "Go.", agent, strategy, gates: ["false"], context: "resume" },
      { cwd: dir, home },
    );
    expect(sessions).toEqual([undefined, "session-1", undefined, "session-3"]);
  });

  it("refuses an invalid value", async () => {
    const ran = await run(sandbox(), { strategy: { type: "adaptive", value: "lavish" } });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cheap, thrifty, default, stubborn"),
    });
  });
});
