// What makes a run easy to fool: folded from its record, so that every view of the run says it.
import type { Iteration, Judged, Run } from "#spec/run";
import type { FilePart, Protect } from "#spec/task";

const IN_SOURCE: ReadonlySet<FilePart["kind"]> = new Set(["rust-tests", "doctests", "vitest-blocks"]);

/** Entries of the task itself have no reason; of those that are found, only tests leave ignored files free. */
export function protectsTests(protect: Protect | undefined): boolean {
  return (protect?.paths ?? []).some(
    ({ part, ignored, reason }) =>
      reason === undefined || ignored === "free" || (part && IN_SOURCE.has(part.kind)),
  );
}

const NO_TESTS =
  "no tests are protected: the agent may change whatever the gates run; name them with --protect GLOB";

const isRead = ({ verdict }: Judged): boolean =>
  [verdict.tests, verdict.packages, verdict.levels, verdict.checks].some((one) => one !== undefined) ||
  verdict.failures.some(({ id }) => id !== undefined);

export const UNREAD = "only the exit codes of the gates count, and a removed test goes unnoticed";

/** All gates have judged, one is red, and none of them told of a test. */
export function isUnread({ verdicts }: Pick<Iteration, "verdicts">, gates: number): boolean {
  const isRed = verdicts.some(({ verdict }) => verdict.status === "failed");
  return verdicts.length === gates && isRed && !verdicts.some(isRead);
}

export function cautionsOf({ task, baseline, iterations }: Run): readonly string[] {
  if (task.gates.length === 0) return [];
  // Without a baseline the first iteration is what tells.
  const first = baseline.verdicts.length > 0 ? baseline : iterations[0];
  return [
    ...(protectsTests(task.protect) ? [] : [NO_TESTS]),
    ...(first && isUnread(first, task.gates.length) ? [`no test results were recognised: ${UNREAD}`] : []),
  ];
}
