// Sentences that all formats of a report share.
import type { Overview } from "#spec/overview";
import { counted, duration, money } from "#text/format";
import { level } from "#text/words";

/** How far the best iteration came, in the measure of all others. */
export function bestLevel(
  { rows }: Pick<Overview, "rows">,
  best: { iteration: number; score: number },
): string {
  return level(rows.find(({ number }) => number === best.iteration) ?? best);
}

export const PROTECTED_WORDS = {
  restore: "restored before the gates judged",
  fail: "the run ended because of it",
  allow: "allowed by the task",
} as const;

/** Gates, iterations, time and cost, one text each. */
export function figuresOf(overview: Overview): string[] {
  const { iterations, maxIterations, elapsedMs, costUsd, gatesPassed, gatesTotal } = overview;
  return [
    `${gatesPassed} of ${counted(gatesTotal, "gate")} green`,
    `${iterations} of ${counted(maxIterations, "iteration")}`,
    duration(elapsedMs),
    ...(costUsd === undefined ? [] : [money(costUsd)]),
  ];
}

/** What makes the verdict trustworthy: hash chain, clean rooms, protected files, isolation. */
export function describeVerification({ task, isolation, seq, rows, cautions }: Overview): string[] {
  const cleanRooms = task.gates.filter(({ policy }) => policy.cleanRoom).length;
  const { protect } = task;
  const tampered = rows.reduce((sum, row) => sum + row.tampered, 0);
  return [
    `The hash chain over the record's ${counted(seq, "event")} is intact.`,
    cleanRooms === 0
      ? "The gates judged in the workspace itself."
      : `${cleanRooms === task.gates.length ? "Every gate" : `${cleanRooms} of ${task.gates.length} gates`} judged a fresh copy of the files in a clean room.`,
    protect
      ? `${counted(protect.paths.length, "path or pattern", "paths and patterns")} protected; ${tampered === 0 ? "the agent changed none of them" : `the agent changed ${counted(tampered, "such file")}, ${PROTECTED_WORDS[protect.action]}`}.`
      : "Nothing was protected from the agent.",
    isolation
      ? `Agents ran with isolation "${isolation.tier}"${isolation.by ? ` by ${isolation.by}` : ""}.`
      : "The isolation of the agents is not recorded.",
    ...cautions.map((caution) => `Caution: ${caution}.`),
  ];
}
