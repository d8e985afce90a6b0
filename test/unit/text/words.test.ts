import { describe, expect, it, test } from "vitest";
import type { Decision } from "#spec/decision";
import {
  agentFailure,
  DECISION_SIGNS,
  decisionKind,
  describeCommand,
  describeDecision,
  iterationLabel,
  iterationName,
  iterationTitle,
  level,
  measure,
  standing,
  stateMood,
  stateName,
  stateSign,
  VERDICT_SIGNS,
} from "#text/words";

const decision = (part: Partial<Decision>): Decision => ({
  continue: true,
  reason: "",
  confidence: 1,
  ...part,
});

describe("signs", () => {
  it("exist for every verdict, in Unicode and ASCII", () => {
    const statuses = ["passed", "failed", "skipped", "waiting", "errored"] as const;
    expect(statuses.map((status) => VERDICT_SIGNS[status].unicode).join("")).toBe("✔✘○…!");
    expect(statuses.map((status) => VERDICT_SIGNS[status].ascii).join("")).toBe("+xo?!");
  });

  it("are one character each, and the ASCII variant is printable ASCII", () => {
    for (const { unicode, ascii } of [...Object.values(VERDICT_SIGNS), ...Object.values(DECISION_SIGNS)]) {
      expect([...unicode]).toHaveLength(1);
      expect(ascii).toMatch(/^[!-~]$/);
    }
  });
});

test.each([
  [{}, "continue", "continue"],
  [{ feedback: "x" }, "steer", "continue"],
  [{ rollbackTo: 2, feedback: "x" }, "rollback", "continue from iteration 2"],
  [{ rollbackTo: 0 }, "rollback", "continue from the baseline"],
  [{ continue: false }, "stop", "stop"],
  [{ continue: false, accept: true }, "accept", "accept"],
  [{ continue: false, wait: true }, "wait", "wait for a person"],
] as const)("the decision %o is of kind %s and reads %s", (part, kind, words) => {
  expect(decisionKind(decision(part))).toBe(kind);
  expect(describeDecision(decision(part))).toBe(words);
});

test("names the state of a run, and whether gates are red although it was accepted", () => {
  expect([stateName("running"), stateMood("running"), stateSign("running")]).toEqual([
    "running",
    "active",
    "▶",
  ]);
  expect([stateName("diverged"), stateMood("diverged")]).toEqual(["not solved", "bad"]);
  expect([stateName("converged"), stateMood("converged")]).toEqual(["converged", "good"]);
  expect([stateName("converged", true), stateMood("converged", true)]).toEqual(["converged in part", "warn"]);
});

test("calls iteration 0 the baseline everywhere", () => {
  const names = [iterationName, iterationTitle, iterationLabel];
  expect(names.map((name) => name(0))).toEqual(["the baseline", "Baseline", "baseline"]);
  expect(names.map((name) => name(2))).toEqual(["iteration 2", "Iteration 2", "2"]);
});

test("shows failing tests where they are counted, else the score", () => {
  expect(standing({ score: 0.998, failing: { before: 4, now: 3 } })).toBe("4 → 3 failing");
  expect(standing({ score: 0.998, failing: { before: 3, now: 3 } })).toBe("3 failing, as before");
  expect(standing({ score: 0.5 })).toBe("50%");
  expect(standing({})).toBe("–");
  expect(level({ score: 0.998, failing: { before: 4, now: 3 } })).toBe("3 failing");
});

test("a verdict shows tests where there are some, else a partial score", () => {
  const tests = { total: 6, passed: 4, failed: 2, skipped: 0 };
  expect(measure({ status: "failed", score: 0.6, tests })).toBe("2 failing");
  expect(measure({ status: "passed", score: 1, tests: { ...tests, passed: 6, failed: 0 } })).toBe("6/6");
  expect(measure({ status: "failed", score: 0.25 })).toBe("25%");
  expect(measure({ status: "failed", score: 0 })).toBe("");
  expect(measure({ status: "passed", score: 1 })).toBe("");
  expect(measure({ status: "skipped", score: 0, tests })).toBe("");
});

test("describes the commands of people and the failures of agents", () => {
  expect(describeCommand({ type: "approve", gate: "looks", by: "Ada" })).toBe("Ada approved looks");
  expect(describeCommand({ type: "decide", choice: "rollback", iteration: 2 })).toBe(
    "a person decided: roll back to iteration 2",
  );
  expect([agentFailure("timed-out"), agentFailure(undefined)]).toEqual(["timed out", "crashed"]);
});
