import { expect, test } from "vitest";
import type { Decision } from "#spec/decision";
import { answerWords } from "../../../dashboard/src/run/actions/answer-words.ts";
import { decisionKind } from "../../../dashboard/src/run/decision-kind.ts";
import { featuresOf } from "../../../dashboard/src/run/iteration/features.ts";
import { fraction } from "../../../dashboard/src/run/names.ts";

const decision = (more: Partial<Decision>): Decision => ({
  continue: true,
  reason: "",
  confidence: 1,
  ...more,
});

test("a decision comes down to one word", () => {
  const kinds = [
    decision({}),
    decision({ feedback: "x" }),
    decision({ rollbackTo: 0, feedback: "x" }),
    decision({ continue: false }),
    decision({ continue: false, accept: true }),
    decision({ continue: false, wait: true }),
  ].map(decisionKind);
  expect(kinds).toEqual(["continue", "steer", "rollback", "stop", "accept", "wait"]);
});

test("what the adaptive strategy saw is told in words", () => {
  const metadata = { next: 0.052, interval: [0.01, 0.2], within: 0.4, grant: 3, transitions: 0 };
  expect(featuresOf(decision({ metadata }))).toEqual([
    ["The next iteration passes", "5.2 % (four times in five between 1.0 % and 20 %)"],
    ["One of those left passes", "40 %"],
    ["Further iterations worth their cost", "up to 3"],
    ["Learned from", "nothing yet: what is believed of any project"],
  ]);
});

test("what spoke for another iteration and against it is told, the strongest first", () => {
  const metadata = { features: { stagnation: -0.4, repeats: -1.25, progress: 0.3, odd: "x" } };
  expect(featuresOf(decision({ metadata }))).toEqual([
    ["Speaks for another", "what has been reached (+0.30)"],
    ["Speaks against it", "files seen before (−1.25), how long nothing has improved (−0.40)"],
  ]);
});

test("what nobody knows is shown as it is, and bounded", () => {
  const [[name, value] = []] = featuresOf(decision({ metadata: { own: "x".repeat(1000) } }));
  expect([name, value?.length]).toEqual(["own", 302]);
  expect(featuresOf(decision({ metadata: { next: "soon", chance: "restarted" } }))).toEqual([
    ["next", "soon"],
    ["Used its chance", "one fresh start from the best files"],
  ]);
});

test("a cell shows tests where there are some, else the part that passes", () => {
  const tests = { total: 6, passed: 4, failed: 2, skipped: 0 };
  expect(fraction({ status: "failed", score: 0.6, tests })).toBe("2 failing");
  expect(fraction({ status: "failed", score: 0.25 })).toBe("25 %");
  expect(fraction({ status: "failed", score: 0 })).toBe("");
  expect(fraction({ status: "skipped", score: 0, tests })).toBe("");
});

test("what came of a word to a run is said in a sentence", () => {
  expect(answerWords({ heard: true }, "Told.")).toBe("Told.");
  expect(answerWords({ heard: false }, "Told.")).toContain("Nobody drives this run now");
  expect(answerWords({ iteration: 2, saved: "0123456789abcdef" }, "Restored.")).toContain("iteration 2");
  const delivered = { type: "branch", tree: "t", branch: "converge/x" } as const;
  expect(answerWords({ delivered }, "")).toBe("Delivered as branch: converge/x.");
  expect(answerWords({ delivered: { ...delivered, problem: "there is one already" } }, "")).toContain(
    "there is one already",
  );
});
