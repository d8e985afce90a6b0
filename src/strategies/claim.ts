// What an agent's claim to be finished is worth: everything without gates, nothing against red ones.
import type { Decision } from "#spec/decision";
import { redGates, verdictOf } from "#spec/holds";
import type { Iteration, Run } from "#spec/run";
import { findSignal } from "#spec/signals";

// Each decision asks about all iterations so far; messages are long, and do not change.
const heard = new WeakMap<object, Map<string, string | undefined>>();

/** The completion signal of this iteration. An agent that failed has not finished, whatever it printed. */
export function claimOf({ agent, prompt }: Iteration, signals: readonly string[]): string | undefined {
  if (!agent?.ok) return undefined;
  const asked = JSON.stringify([prompt, signals]);
  const known = heard.get(agent) ?? new Map<string, string | undefined>();
  heard.set(agent, known);
  if (!known.has(asked)) known.set(asked, findSignal(agent.message, prompt, signals));
  return known.get(asked);
}

/** The decision with the false claim on record and, when the agent works on, told to it. */
export function doubted(decision: Decision, run: Run, iteration: Iteration, signal: string): Decision {
  const reason = `${decision.reason}; the agent said "${signal}", but the gates do not agree`;
  if (!decision.continue) return { ...decision, reason };
  const feedback = [decision.feedback, falseClaim(run, iteration, signal)].filter(Boolean).join("\n\n");
  return { ...decision, reason, feedback };
}

// The signal stays inside a sentence: alone on a line of the prompt it could never be given again.
function falseClaim(run: Run, iteration: Iteration, signal: string): string {
  const red = redGates(run, iteration).map(
    (gate) => `${gate} (${verdictOf(iteration, gate)?.status ?? "not judged"})`,
  );
  const proof = red.length > 0 ? `these gates do not pass: ${red.join(", ")}` : "that is not proven";
  return `You said "${signal}", but ${proof}. The gates decide, not the claim. Go on until they pass.`;
}
