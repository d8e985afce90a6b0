// While gates judge, the score of that iteration is of some gates only: it is not shown before all have judged.
import type { Overview } from "#spec/overview";

export function settled(overview: Overview): Overview {
  const { rows, progress } = overview;
  const open = rows.at(-1);
  if (!open || progress.phase.name !== "gate" || open.number !== progress.iteration) return overview;
  const { score: _, ...unjudged } = open;
  const { score: __, ...rest } = overview;
  const score = rows.at(-2)?.score;
  return { ...rest, ...(score !== undefined && { score }), rows: rows.with(-1, unjudged) };
}
