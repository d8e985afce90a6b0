// Validates a person's answer to a gate; an invalid answer is rejected at once, with advice.

import { builtIns } from "#catalog/built-ins";
import { askedAt, verdictOf } from "#rules/success";
import type { Command } from "#spec/command";
import type { Run } from "#spec/run";
import { head, plain } from "#text/plain-text";

type Answer = Extract<Command, { type: "approve" | "reject" }>;

const quoted = (name: string) => `"${head(plain(name), 100)}"`;

/** The approver's name on one line; undefined when the text is not a valid name. */
export function nameIn(text: string): string | undefined {
  const name = plain(text).trim();
  return name === "" || name.includes("\n") ? undefined : name;
}

/** Why the answer is rejected; undefined when it is valid. */
export function refuseAnswer(run: Run, { type, gate, by }: Answer, now: string): string | undefined {
  const spec = run.task.gates.find(({ name }) => name === gate);
  if (!spec) {
    const names = run.task.gates.map(({ name }) => name).join(", ");
    return `run ${run.id} has no gate ${quoted(gate)} (it has ${names})`;
  }
  const { approvers: approversOf } = builtIns().gates.traits(spec.use.type);
  if (!approversOf && spec.policy.condition !== "manual")
    return `gate ${quoted(gate)} does not wait for a person: it judges by itself (only gates of type approval, or with condition: manual, are answered)`;
  const approvers = approversOf?.(spec.use) ?? [];
  if (approvers.length > 0 && !approvers.includes(by))
    return `${quoted(by)} may not ${type} ${quoted(gate)}; these may: ${approvers.join(", ")} (say who you are with --as NAME)`;
  const current = run.iterations.at(-1);
  const verdict = current && verdictOf(current, gate);
  // A previous answer removes the waiting verdict until the gate judges again.
  const waits = verdict ? verdict.status === "waiting" : current && askedAt(current, gate) !== undefined;
  if (!waits)
    return `gate ${quoted(gate)} does not wait for an answer now; \`converge show ${run.id}\` says how the run stands`;
  if (verdict?.until !== undefined && verdict.until <= now)
    return `gate ${quoted(gate)} waited until ${verdict.until}, and that is over; \`converge resume ${run.id}\` goes on`;
  return undefined;
}
