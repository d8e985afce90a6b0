import { describe, expect, it } from "vitest";
import { runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const agent = { type: "command", command: "echo $CONVERGE_ITERATION > work" };

/** A gate that passes and fails in the order of the letters, over all its runs. */
const flaky = (outcomes: string, more: object = {}) => ({
  name: "tests",
  command: `echo x >> ../runs; n=$(wc -l < ../runs); echo "this is run $n"; test "$(echo ${outcomes} | cut -c$n)" = p`,
  ...more,
});
const repeat = { runs: 3, passes: 2 };
const task = (outcomes: string) => ({
  agent,
  gates: [flaky(outcomes, { repeat })],
  baseline: "off",
  strategy: { type: "fixed", iterations: 1 },
});

describe("n of m for a flaky gate", () => {
  it("a pass after mixed results lists them all and is marked flaky", async () => {
    const { box, events, ...ran } = await runTask(task("pfp"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
    const verdict = ofType(events, "gate.judged")[0]?.verdict;
    expect(verdict).toMatchObject({
      status: "passed",
      summary: "2 of 3 runs passed: passed, failed, passed",
    });
    expect(verdict?.attempts?.map(({ status }) => status)).toEqual(["passed", "failed", "passed"]);
    const shown = (await box.converge("show", "last")).stdout;
    expect(shown).toMatch(/✔ flaky/);
    const watched = (await box.converge("watch", "last")).stdout;
    expect(watched).toContain("! FLAKY  2 of 3 runs passed: passed, failed, passed");
    expect(watched).toMatch(/✘ run 2 {2}exit code 1/);
    const logs = (await box.converge("logs", "last")).stdout;
    for (const run of [1, 2, 3]) expect(logs).toContain(`this is run ${run}`);
  });

  it("one pass of three fails, and the last failure reaches the agent", async () => {
    const { events, ...ran } = await runTask({
      ...task("fpfpp"),
      strategy: { type: "fixed", iterations: 2 },
    });
    expect(ran).toMatchObject({ outcome: "converged", iterations: 2 });
    const [verdict] = ofType(events, "gate.judged").map((event) => event.verdict);
    expect(verdict).toMatchObject({
      status: "failed",
      summary: "1 of 3 runs passed, 2 of 3 required: failed, passed, failed",
    });
    expect(ran.prompts[1]).toMatch(/^\| this is run 3$/m);
  });

  it("stops judging once enough runs passed", async () => {
    const ran = await runTask(task("pp"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
    expect(ran.box.read("../runs")).toBe("x\nx\n");
    expect((await ran.box.converge("show", "last")).stdout).not.toContain("flaky");
  });

  it.each([
    { given: { runs: 3, passes: 4 }, says: "expected no more passes than runs" },
    { given: { runs: 1, passes: 1 }, says: "expected at least 2" },
  ])("refuses $given", async ({ given, says }) => {
    const { code, stderr } = await runTask({ agent, gates: [flaky("p", { repeat: given })] });
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
});
