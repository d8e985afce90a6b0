import { expect, test } from "vitest";
import type { Decision } from "#spec/decision";
import { answerWords } from "../../../dashboard/src/run/actions/answer-words.ts";
import { featuresOf } from "../../../dashboard/src/run/iteration/features.ts";

const decision = (more: Partial<Decision>): Decision => ({
  continue: true,
  reason: "",
  confidence: 1,
  ...more,
});

test("explains the chances that the adaptive strategy computed", () => {
  const metadata = { next: 0.052, interval: [0.01, 0.2], within: 0.4, grant: 3, transitions: 0 };
  expect(featuresOf(decision({ metadata }))).toEqual([
    ["Chance of the next iteration", "5.2% (80% interval: 1.0% to 20%)"],
    ["Chance of all remaining ones", "40%"],
    ["Iterations worth their cost", "up to 3"],
    ["Learned from", "no earlier runs: what holds for most projects"],
  ]);
});

test("lists features for and against another iteration, the strongest first", () => {
  const metadata = { features: { stagnation: -0.4, repeats: -1.25, progress: 0.3, odd: "x" } };
  expect(featuresOf(decision({ metadata }))).toEqual([
    ["For another iteration", "progress so far (+0.30)"],
    ["Against it", "repeated files (−1.25), iterations without improvement (−0.40)"],
  ]);
});

test("shows unknown metadata as it is, with a limit", () => {
  const [[name, value] = []] = featuresOf(decision({ metadata: { own: "x".repeat(1000) } }));
  expect([name, value?.length]).toEqual(["own", 302]);
  expect(featuresOf(decision({ metadata: { next: "soon", chance: "restarted" } }))).toEqual([
    ["next", "soon"],
    ["Last chance used", "one fresh start from the best files"],
  ]);
});

test("describes the answer to a command in a sentence", () => {
  expect(answerWords({ heard: true }, "Told.")).toBe("Told.");
  expect(answerWords({ heard: false }, "Told.")).toContain("No process drives this run");
  expect(answerWords({ iteration: 2, saved: "0123456789abcdef" }, "Restored.")).toContain("iteration 2");
  const delivered = { type: "branch", tree: "t", branch: "converge/x" } as const;
  expect(answerWords({ delivered }, "")).toBe("Delivered as branch: branch converge/x.");
  expect(answerWords({ delivered: { ...delivered, problem: "there is one already" } }, "")).toContain(
    "there is one already",
  );
});
