import fc from "fast-check";
import { expect, it } from "vitest";
import { createStyle } from "#cli/output/style";
import { summary as summaryOf } from "#cli/output/summary";
import { width } from "#cli/output/width";
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import type { Delivered } from "#spec/workspace";
import { anyCharacter } from "../../../support/any-character.ts";
import { agent, iteration, midway, midwayProgress, progress, run, task, verdict } from "../samples.ts";

const bare = createStyle({ color: false, unicode: true });

/** Renders the summary of a run that protects its tests. */
function summary(shown: Run, progress: Progress, columns: number): string[] {
  const protect = { paths: [{ path: "test/**", grows: true }], action: "restore" as const };
  const protecting = { ...shown, task: { ...shown.task, protect } };
  return summaryOf({ run: protecting, progress }, { style: bare, columns });
}

it("warns when no tests are protected", () => {
  expect(summaryOf({ run: midway, progress: midwayProgress }, { style: bare, columns: 200 })).toContainEqual(
    expect.stringMatching(/caution: no tests are protected: .*--protect GLOB$/),
  );
});

it("shows the whole run: state, task, limits used, every iteration, the best one and the next command", () => {
  expect(summary(midway, midwayProgress, 100)).toEqual([
    "k3f9x2ab  running, 3 iterations in 1m 12s",
    "",
    "  task       Make the tests pass without changing them.",
    "  agent      ./agent.sh",
    "  strategy   hybrid",
    "  workspace  in place, /project",
    "  started    2030-01-02 14:03 on box",
    "  used       3 of 20 iterations · 4m 12s of 1h 00m · 132k of 500k tokens · $0.42 of $5.00",
    "  best       iteration 1 with score 80%",
    "",
    "  iteration  tests  lint  score  files  agent              cost   decision",
    "  baseline   ✘ 2/5  ✘     20%",
    "  1          ✘ 3/5  ✔     80%    3      4s                 $0.04  continue: iteration 1 of 3 (100%)",
    "  2          ✘ 3/5  !     30%    0      timed-out 30m 00s  –      continue: the best score so far r…",
    "  3",
    "",
    "  next       converge resume k3f9x2ab   continues it, if it was interrupted",
  ]);
});

it("counts failing tests where every iteration has a count, and notes refusals and false claims", () => {
  const suite = (failed: number) => ({
    gate: "tests",
    verdict: verdict({
      status: "failed",
      score: 0.99,
      tests: { total: 1635, passed: 1610 - failed, failed, skipped: 25 },
    }),
  });
  const judged = (number: number, failed: number, result = agent()) =>
    iteration(number, { agent: result, verdicts: [suite(failed)], score: 0.99 });
  const claiming = agent({ message: "DONE", refused: ["git push; allow it with allow: [git]"] });
  const shown = summary(
    run({
      task: task({ gates: task().gates.slice(0, 1) }),
      baseline: iteration(0, { verdicts: [suite(4)], score: 0.99 }),
      iterations: [judged(1, 3), judged(2, 2, claiming)],
    }),
    progress(),
    100,
  );
  expect(shown.slice(9, -2)).toEqual([
    "  iteration  tests        failing  files  agent  cost  decision",
    "  baseline   ✘ 1606/1610  4",
    "  1          ✘ 1607/1610  3               4s     –",
    "  2          ✘ 1608/1610  2               4s     –",
    "",
    "  ! iteration 2: refused: git push; allow it with allow: [git]",
    '  ! iteration 2: the agent said "DONE", but these gates are red: tests (failed)',
  ]);
});

it("shows outcome and reason of a converged run without a next command", () => {
  const ended = { outcome: "converged", reason: "all gates passed", partial: false } as const;
  const decision = { continue: false, reason: "all gates passed", confidence: 1 };
  const last = iteration(1, {
    agent: agent(),
    score: 1,
    decision,
    verdicts: [{ gate: "tests", verdict: verdict() }],
  });
  const done = run({
    state: "ended",
    ended,
    task: task({ gates: task().gates.slice(0, 1) }),
    iterations: [last],
  });
  expect(summary(done, progress(), 100)).toEqual([
    "k3f9x2ab  converged after 1 iteration in 1m 12s",
    "  all gates passed",
    "",
    "  task       Make the tests pass without changing them.",
    "  agent      ./agent.sh",
    "  strategy   hybrid",
    "  workspace  in place, /project",
    "  started    2030-01-02 14:03 on box",
    "  used       1 of 20 iterations · 1m 12s",
    "",
    "  iteration  tests  score  files  agent  cost  decision",
    "  1          ✔      100%          4s     –     stop: all gates passed (100%)",
  ]);
});

const ENDED = { outcome: "converged", reason: "all gates passed", partial: false } as const;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

it.each<[string, Delivered, Partial<Run>, string[]]>([
  [
    "a branch in place",
    { type: "branch", tree: "t", branch: "converge/k3f9x2ab", commit: COMMIT },
    {},
    [
      "  delivered  as branch: branch converge/k3f9x2ab, commit 0123456789ab",
      "  next       converge deliver k3f9x2ab --as commit   commits it to the checked-out branch",
    ],
  ],
  [
    "a branch from a worktree",
    { type: "branch", tree: "t", branch: "converge/k3f9x2ab", commit: COMMIT },
    { task: task({ workspace: { type: "worktree", dir: "/project" } }) },
    [
      "  delivered  as branch: branch converge/k3f9x2ab, commit 0123456789ab",
      "  next       git merge converge/k3f9x2ab   merges the work",
    ],
  ],
  [
    "a patch",
    { type: "patch", tree: "t", file: "/tmp/a b.patch" },
    {},
    [
      "  delivered  as patch: /tmp/a b.patch",
      "  next       git apply '/tmp/a b.patch'   applies it to the base",
    ],
  ],
  [
    "a commit",
    { type: "commit", tree: "t", branch: "main", commit: COMMIT },
    {},
    ["  delivered  as commit: branch main, commit 0123456789ab"],
  ],
  [
    "a commit on a detached HEAD",
    { type: "commit", tree: "t", commit: COMMIT },
    {},
    [
      "  delivered  as commit: commit 0123456789ab",
      `  next       git branch NAME ${COMMIT}   keeps the commit, because HEAD is detached`,
    ],
  ],
  [
    "a pull request",
    { type: "pull-request", tree: "t", branch: "b", commit: COMMIT, url: "https://host.localhost/1" },
    {},
    ["  delivered  as pull-request: https://host.localhost/1"],
  ],
  [
    "a commit to a branch that has moved",
    { type: "commit", tree: "t", branch: "converge/k3f9x2ab", problem: "main has moved" },
    { task: task({ deliver: { type: "commit", remote: "origin", whenRed: false } }) },
    [
      "  delivered  ! not as commit: main has moved",
      "  next       git merge converge/k3f9x2ab   merges the work",
      "  next       converge deliver k3f9x2ab   tries again",
    ],
  ],
  [
    "a rejected push",
    { type: "pull-request", tree: "t", branch: "b", problem: "git could not push" },
    {},
    [
      "  delivered  ! not as pull-request: git could not push",
      "  next       converge deliver k3f9x2ab --as pull-request   tries again",
    ],
  ],
])("shows the delivery and the next commands: %s", (_, delivered, part, expected) => {
  const done = run({ state: "ended", ended: ENDED, delivered, ...part });
  const shown = summary(done, progress(), 120);
  expect(shown.filter((line) => /^ {2}(delivered|next) /.test(line))).toEqual(expected);
});

it("offers to resume a delivered run that did not converge", () => {
  const delivered: Delivered = { type: "branch", tree: "t", branch: "b", commit: COMMIT };
  const red = run({ state: "ended", ended: { ...ENDED, outcome: "diverged" }, delivered });
  const steps = summary(red, progress(), 120).filter((line) => line.startsWith("  next"));
  expect(steps.map((line) => line.split(/ {2,}/)[2])).toEqual([
    "Continue with: converge resume k3f9x2ab",
    "converge deliver k3f9x2ab --as commit",
  ]);
});

it("names no best iteration while none beats the baseline", () => {
  const worse = { ...midwayProgress, best: { iteration: 0, score: 0.5 } };
  expect(summary(midway, worse, 100).filter((line) => line.startsWith("  best"))).toEqual([]);
});

it("drops the agent columns before it truncates the gate columns", () => {
  expect(summary(midway, midwayProgress, 40).slice(10, 13)).toEqual([
    "  iterati…  tests  lint  score  decision",
    "  baseline  ✘ 2/5  ✘     20%",
    "  1         ✘ 3/5  ✔     80%    continu…",
  ]);
});

it("marks an interrupted iteration", () => {
  const cut = run({ iterations: [iteration(1, { interruptions: 1 })] });
  expect(summary(cut, progress(), 100).join("\n")).toContain("interrupted");
});

it("has no table before the first iteration", () => {
  expect(summary(run(), progress(), 100).join("\n")).not.toContain("decision");
});

it("fits the terminal width and emits no control characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 20, max: 120 }), (text, columns) => {
      const decision = { continue: true, reason: text, confidence: 1 };
      const shown = run({
        dir: text,
        host: text,
        task: task({ prompt: text }),
        iterations: [iteration(1, { decision })],
      });
      for (const line of summary(shown, progress(), columns)) {
        expect(width(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
