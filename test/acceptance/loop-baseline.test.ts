import { describe, expect, it } from "vitest";
import type { Progress } from "#spec/progress";
import { asked, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });

/** The agent leaves a test report in the file `report`; the gate reads it. */
const TESTS = { name: "tests", command: "cat report; ! grep -q '^not ok' report" };
const report = (...failing: string[]) =>
  ["adds", "divides", "rounds"].reduce(
    (text, name, at) => `${text}${failing.includes(name) ? "not ok" : "ok"} ${at + 1} - ${name}\n`,
    "1..3\n",
  );

describe("the baseline", () => {
  it("converges after 0 iterations when the workspace is green already, and says so", async () => {
    const ran = await runTask({ agent: script([{ write: { touched: "" } }]), gates: ["true"] });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 0 });
    expect(ran.reason).toBe("every gate passes already: nothing to do");
    expect(ran.box.exists("touched")).toBe(false);
    expect((await ran.box.converge("show", "last")).stdout).toContain("nothing to do");
  });

  it("does not count a manual gate as green already", async () => {
    const ran = await runTask({
      agent: script([{ write: { touched: "" } }]),
      gates: ["true", { name: "release", command: "true", condition: "manual" }],
    });
    expect(ran).toMatchObject({ code: 4, iterations: 1 });
  });

  it("requireChange continues on a green workspace until a file changes", async () => {
    const ran = await runTask({
      agent: script([{ say: "nothing to do" }], [{ write: { done: "yes" } }]),
      gates: ["true"],
      requireChange: true,
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.decisions[0]).toMatchObject({ continue: true });
    expect(ran.decisions[0]?.reason).toContain("a change is required");
    expect(ran.prompts[1]).toContain("nothing was changed and a change is required");
  });

  it("requireChange never converges on untouched files", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: ["true"],
      requireChange: true,
      limits: { iterations: 2 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  });

  it("names the failures of the baseline in the first prompt", async () => {
    const ran = await runTask(
      { agent: script([{ write: { report: report() } }]), gates: [TESTS] },
      { report: report("divides") },
    );
    expect(ran).toMatchObject({ code: 0, iterations: 1 });
    expect(ran.prompts[0]).toContain('Gate "tests" failed: 1 of 3 tests failed');
    expect(ran.prompts[0]).toMatch(/^\| .*divides/m);
  });

  it("measures progress from the baseline", async () => {
    const { box } = await runTask(
      { agent: script([{ write: { report: report() } }]), gates: [TESTS] },
      { report: report("divides", "rounds") },
    );
    const [shown] = await asked<{ progress: Progress }>(box, "show", "last");
    expect(shown?.progress.scores).toEqual([expect.closeTo(1 / 3), 1]);
    expect(shown?.progress.trend).toBe("improving");
  });

  it("baseline: off runs no gate before the first agent", async () => {
    const ran = await runTask({
      agent: script([{ write: { done: "yes" } }]),
      gates: ["test -e done"],
      baseline: "off",
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(ofType(ran.events, "gate.judged").map(({ iteration }) => iteration)).toEqual([1]);
    expect(ran.prompts[0]).not.toContain("What is still wrong");
  });

  it("baseline: off runs the agent once even when everything is green", async () => {
    const ran = await runTask({ agent: script([]), gates: ["true"], baseline: "off" });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });
});

describe("ignorePreexisting", () => {
  const fixes = (...left: string[]) => script([{ write: { report: report(...left) } }]);
  const before = { report: report("adds", "divides") };
  const task = { gates: [TESTS], ignorePreexisting: true, limits: { iterations: 1 } };

  it("lets the run converge despite pre-existing failures", async () => {
    const ran = await runTask({ ...task, agent: fixes("divides") }, before);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", partial: false, iterations: 1 });
  });

  it("pre-existing failures block convergence without it", async () => {
    const ran = await runTask({ ...task, agent: fixes("divides"), ignorePreexisting: false }, before);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("does not let a new failure pass", async () => {
    const ran = await runTask({ ...task, agent: fixes("rounds") }, before);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("keeps pre-existing failures from triggering a gate's own policy", async () => {
    const gates = [
      { ...TESTS, onFailure: "stop" },
      { name: "lint", command: "test -e linted", skipIf: { failed: ["tests"] } },
    ];
    const agent = script([{ write: { report: report("divides"), linted: "" } }]);
    const ran = await runTask({ ...task, agent, gates }, before);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(ofType(ran.events, "gate.judged").at(-1)).toMatchObject({
      gate: "lint",
      verdict: { status: "passed" },
    });
  });
});
