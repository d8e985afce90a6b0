// What every memory tells from: the last iterations, what of their verdicts the agent may hear, and the files changed.
import type { Iteration, Judged, Run } from "#spec/run";
import { oneLine } from "#spec/text";

const FACT_CHARS = 200;

/** On one line and bounded: a file's name or a summary must not pose as an entry of its own. */
export function fact(text: string): string {
  return oneLine(text, FACT_CHARS);
}

/** The last iterations that an agent has worked in, oldest first. */
export function lastIterations(run: Run, entries: number): readonly Iteration[] {
  return run.iterations.filter((iteration) => iteration.agent).slice(-entries);
}

/** What the task keeps from the agent, it does not hear from the memory either. */
export function judgedFor(run: Run, iteration: Iteration): readonly Judged[] {
  const isKept = (name: string) =>
    run.task.gates.find((gate) => gate.name === name)?.policy.onFailure.feedback === "none";
  return iteration.verdicts.filter(({ gate, verdict }) => verdict.status !== "skipped" && !isKept(gate));
}

/** The first names, and how many there are besides. */
export function filesChanged(
  { snapshot }: Iteration,
  most: number,
  chars = FACT_CHARS,
): { readonly names: readonly string[]; readonly more: number } {
  const { changes = [], changeCount = 0 } = snapshot ?? {};
  const names = changes.slice(0, most).map((change) => oneLine(change.path, chars));
  return { names, more: changeCount - names.length };
}
