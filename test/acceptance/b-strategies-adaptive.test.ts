import { describe, expect, it } from "vitest";
import { asked, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

interface Model {
  readonly runs: number;
  readonly transitions: number;
  readonly situations: readonly { readonly name: string; readonly chance: number; readonly before: number }[];
}

/** Goes in circles: the same files, and the same words but for a number. */
const CIRCLES = { agent: { type: "command", command: 'echo "attempt $CONVERGE_ITERATION failed again"' } };

async function run(box: Sandbox, task: object, ...args: string[]) {
  box.write(
    taskFile({ gates: ["test -e never"], strategy: "adaptive", baseline: false, ...CIRCLES, ...task }),
  );
  return ranIn(box, await box.converge("run", "--json", ...args));
}

const models = (box: Sandbox, ...args: string[]) => asked<Model>(box, "model", "show", ...args);

describe("B adaptive", () => {
  it("does not give up before it has seen something, learns from every run, and then stops earlier", async () => {
    const box = sandbox();
    const cold = await run(box, { limits: { iterations: 12 } });
    expect(cold.iterations).toBe(12);
    for (let times = 0; times < 4; times++)
      await run(box, { strategy: { type: "fixed", iterations: 12 }, limits: { iterations: 12 } });
    const taught = await run(box, { limits: { iterations: 12 } });
    expect(taught).toMatchObject({ code: 1, outcome: "diverged" });
    expect(taught.iterations).toBeLessThan(12);
    expect(taught.reason).toMatch(
      /^not worth another iteration: the files stayed the same for \d+ iterations/,
    );
    const [model] = await models(box);
    expect(model).toMatchObject({ runs: 6 });
    for (const { chance, before } of model?.situations ?? []) expect(chance).toBeLessThan(before);
  });

  it("decides by what was known when it started, also after a resume", async () => {
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

  it("forgets when it is told to, and learns again from the recorded runs", async () => {
    const box = sandbox();
    await run(box, { limits: { iterations: 3 } });
    const [before] = await models(box);
    expect(before).toMatchObject({ runs: 1, transitions: 2 });
    expect((await box.converge("model", "reset")).stdout).toContain("forgot what 1 run taught");
    expect(await models(box, "--all")).toEqual([]);
    await box.converge("model", "reset", "--rebuild");
    expect(await models(box)).toEqual([before]);
    const { stdout } = await box.converge("model");
    expect(stdout).toContain("1 run, 2 iterations that did not pass");
  });

  it("refuses a value that is none", async () => {
    const ran = await run(sandbox(), { strategy: { type: "adaptive", value: "lavish" } });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cheap, thrifty, default, stubborn"),
    });
  });
});
