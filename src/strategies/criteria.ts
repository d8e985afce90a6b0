// Completion criteria of `hybrid` that the user configured: they end a run although required gates are red.
import type { NeededGate } from "#options/part";
import { describeRed, signalOf } from "#rules/claim";
import { redGates, verdictOf, wantedGates } from "#rules/success";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { sameSnapshots } from "./shared/repetition.ts";

export const CRITERIA = ["verification-pass", "ci-pass", "no-changes", "agent-signal"] as const;

export type Criterion = (typeof CRITERIA)[number];

const CI = "ci";
const LEVELS = "levels";

/** Criteria and options that only a gate of one type can meet. */
export const NEEDED_GATES: readonly NeededGate[] = [
  { option: "completionCriteria", value: "ci-pass", type: CI },
  { option: "minLevel", type: LEVELS },
];

interface Situation {
  readonly run: Run;
  readonly latest: Iteration;
  readonly minLevel: number | undefined;
  readonly signals: readonly string[];
}

/** Describes why the criterion is met; undefined when it is not. */
export function describeMet(criterion: Criterion, situation: Situation): string | undefined {
  const { run, latest, minLevel, signals } = situation;
  switch (criterion) {
    case "verification-pass":
      return describeLevel(run, latest, minLevel);
    case "ci-pass":
      return describeCi(run, latest);
    case "no-changes":
      return describeNoChanges(run, latest);
    case "agent-signal":
      return describeSignal(run, latest, signals);
  }
}

// Without minLevel, the plain success rule applies, which ends every strategy before this check.
function describeLevel(run: Run, latest: Iteration, minLevel: number | undefined): string | undefined {
  const red = redGates(run, latest);
  if (minLevel === undefined || red.length === 0) return undefined;
  const isReached = red.every(
    (gate) => usesType(run, gate, LEVELS) && hasReached(verdictOf(latest, gate), minLevel),
  );
  return isReached ? `iteration ${latest.number} reached verification level ${minLevel}` : undefined;
}

// `levels` counts the passed levels, from level 0. A verdict without levels must pass entirely.
function hasReached(verdict: Verdict | undefined, minLevel: number): boolean {
  return verdict?.status === "failed" && (verdict.levels ?? 0) > minLevel;
}

function describeCi(run: Run, latest: Iteration): string | undefined {
  const gates = run.task.gates.filter((gate) => gate.use.type === CI).map((gate) => gate.name);
  if (gates.length === 0) return undefined;
  const passed = gates.every((gate) => verdictOf(latest, gate)?.status === "passed");
  return passed ? `CI passed after iteration ${latest.number} (${gates.join(", ")})` : undefined;
}

// A failed agent that changed nothing does not complete the run.
function describeNoChanges(run: Run, latest: Iteration): string | undefined {
  if (latest.agent?.ok === false) return undefined;
  const before = run.iterations.at(-2) ?? run.baseline;
  return sameSnapshots(before, latest) ? `iteration ${latest.number} changed nothing` : undefined;
}

/** The task trusts the agent: a signal completes the run, and the reason names the red gates. */
function describeSignal(run: Run, latest: Iteration, signals: readonly string[]): string | undefined {
  const claim = signalOf(latest, signals);
  if (claim === undefined) return undefined;
  const red = describeRed(run, latest, () => true);
  const gates = wantedGates(run).length === 0 ? "no gate is configured" : `these gates are red: ${red}`;
  return `the agent said "${claim}" and ${gates}`;
}

function usesType(run: Run, name: string, type: string): boolean {
  return run.task.gates.some((gate) => gate.name === name && gate.use.type === type);
}
