// Turns a person's command about an iteration into a decision, which overrides the strategy's.
import { bestToRestore } from "#rules/best-iteration";
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";

type Direction = Extract<Command, { type: "decide" }>;

/** Undefined when no person has decided about the latest iteration. */
export function directed(run: Run): Decision | undefined {
  const latest = run.iterations.at(-1);
  return latest?.direction && follow(latest.direction, run, latest);
}

function follow(direction: Direction, run: Run, latest: Iteration): Decision {
  const about = `iteration ${latest.number}`;
  switch (direction.choice) {
    case "continue":
      return {
        continue: true,
        reason: `a person continued after ${about}`,
        confidence: 1,
        ...said(direction),
      };
    case "accept":
      return { continue: false, accept: true, reason: `a person accepted ${about}`, confidence: 1 };
    case "stop":
      return { continue: false, reason: `a person stopped the run after ${about}`, confidence: 1 };
    case "rollback":
      return rollBack(direction, run, latest);
  }
}

// Rolls back only to an existing snapshot; for any other target the run asks again and never guesses.
function rollBack(direction: Direction, run: Run, latest: Iteration): Decision {
  const captured = [run.baseline, ...run.iterations].filter((iteration) => iteration.snapshot);
  const earlier = captured.filter((iteration) => iteration.number < latest.number);
  const target = direction.iteration ?? bestToRestore(earlier)?.number;
  if (target === undefined || !captured.some((iteration) => iteration.number === target)) {
    return waitFor(
      `${missing(target, captured)}; waiting for a person to decide about iteration ${latest.number}`,
    );
  }
  const reason = `a person rolled the files back to ${target === 0 ? "the base" : `iteration ${target}`}`;
  return { continue: true, rollbackTo: target, reason, confidence: 1, ...said(direction) };
}

function missing(target: number | undefined, captured: readonly Iteration[]): string {
  if (target === undefined) return "there is no earlier snapshot to roll back to";
  const numbers = captured.map((iteration) => iteration.number).join(", ");
  return `there is no snapshot of iteration ${target} to roll back to (there are: ${numbers || "none"})`;
}

function waitFor(reason: string): Decision {
  return { continue: false, wait: true, reason, confidence: 1 };
}

function said(direction: Direction): { readonly feedback?: string } {
  return direction.feedback ? { feedback: direction.feedback } : {};
}
