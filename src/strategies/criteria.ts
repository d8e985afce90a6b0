// What else may complete a run under `hybrid` while wanted gates are red, because its owner said so.
import { describeRed, signalOf } from "#rules/claim";
import { redGates, verdictOf, wantedGates } from "#rules/success";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { sameSnapshots } from "./shared/repetition.ts";

export type Criterion = "verification-pass" | "ci-pass" | "no-changes" | "agent-signal";

export interface CriterionOptions {
  readonly minLevel: number | undefined;
  readonly signals: readonly string[];
}

/** Why the criterion is met, in words; absent when it is not. */
export function metBy(
  criterion: Criterion,
  run: Run,
  latest: Iteration,
  { minLevel, signals }: CriterionOptions,
): string | undefined {
  switch (criterion) {
    case "verification-pass":
      return verified(run, latest, minLevel);
    case "ci-pass":
      return ciPassed(run, latest);
    case "no-changes":
      return unchanged(run, latest);
    case "agent-signal":
      return signalled(run, latest, signals);
  }
}

// Without a level this is the plain rule, which ends every strategy before its own rule is asked.
function verified(run: Run, latest: Iteration, minLevel: number | undefined): string | undefined {
  const red = redGates(run, latest);
  if (minLevel === undefined || red.length === 0) return undefined;
  const enough = red.every(
    (gate) => usesType(run, gate, "levels") && reaches(verdictOf(latest, gate), minLevel),
  );
  return enough ? `iteration ${latest.number} reached verification level ${minLevel}` : undefined;
}

// `levels` counts the levels passed, from level 0 up. A verdict that does not tell them must pass whole.
function reaches(verdict: Verdict | undefined, minLevel: number): boolean {
  return verdict?.status === "failed" && (verdict.levels ?? 0) > minLevel;
}

function ciPassed(run: Run, latest: Iteration): string | undefined {
  const gates = run.task.gates.filter((gate) => gate.use.type === "ci").map((gate) => gate.name);
  if (gates.length === 0) return undefined;
  const passed = gates.every((gate) => verdictOf(latest, gate)?.status === "passed");
  return passed ? `CI passed after iteration ${latest.number} (${gates.join(", ")})` : undefined;
}

// An agent that failed and changed nothing has not completed anything.
function unchanged(run: Run, latest: Iteration): string | undefined {
  if (latest.agent?.ok === false) return undefined;
  const before = run.iterations.at(-2) ?? run.baseline;
  return sameSnapshots(before, latest) ? `iteration ${latest.number} changed nothing` : undefined;
}

/** The task trusts the agent's word: a signal completes the run, and the reason names the gates that are red. */
function signalled(run: Run, latest: Iteration, signals: readonly string[]): string | undefined {
  const claim = signalOf(latest, signals);
  if (claim === undefined) return undefined;
  const red = describeRed(run, latest, () => true);
  const gates = wantedGates(run).length === 0 ? "no gate is configured" : `these gates are red: ${red}`;
  return `the agent said "${claim}" and ${gates}`;
}

function usesType(run: Run, name: string, type: string): boolean {
  return run.task.gates.some((gate) => gate.name === name && gate.use.type === type);
}
