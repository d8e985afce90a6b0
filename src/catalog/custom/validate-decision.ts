// Validates the untrusted answer of a custom strategy and normalises it to a decision.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import type { Decision } from "#spec/decision";
import { head, plain } from "#text/plain-text";
import { describeInvalidAnswer } from "./describe-error.ts";

const LONGEST_REASON = 2_000;
const LONGEST_FEEDBACK = 20_000;
const LONGEST_METADATA = 64_000;

const answerSchema = z
  .object({
    continue: z.boolean(),
    reason: z.string().optional(),
    confidence: z.number().min(0).max(1).optional(),
    feedback: z.string().optional(),
    accept: z.boolean().optional(),
    wait: z.boolean().optional(),
    rollbackTo: z.int().min(0).optional(),
    metadata: z.record(z.string(), z.unknown()).transform(toStorable).optional(),
  })
  .refine((answer) => !(answer.continue && (answer.accept || answer.wait)), {
    error: "accept and wait go with continue: false",
  })
  .refine((answer) => answer.continue || answer.rollbackTo === undefined, {
    error: "rollbackTo goes with continue: true",
  });

export type Checked =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly problem: string };

/** `who` is the default reason when the strategy gives none. */
export function validateDecision(answer: unknown, who: string): Checked {
  const parsed = answerSchema.safeParse(toCurrentForm(answer, who));
  if (!parsed.success)
    return { ok: false, problem: describeInvalidAnswer(answer, problemsOf(parsed.error, answer)) };
  const { reason, confidence, feedback, ...rest } = parsed.data;
  const decision = {
    ...rest,
    reason: head(plain(reason?.trim() || `${who} decided`), LONGEST_REASON),
    confidence: confidence ?? 0.5,
    feedback: feedback === undefined ? undefined : head(plain(feedback), LONGEST_FEEDBACK),
  };
  return { ok: true, decision: dropUndefined(decision) };
}

/** Upgrades older answers: a bare boolean, and `{ shouldContinue, action }`, where the action `complete` means accept. */
function toCurrentForm(answer: unknown, who: string): unknown {
  if (typeof answer === "boolean") {
    return { continue: answer, reason: `${who} said ${answer ? "continue" : "stop"}` };
  }
  if (typeof answer !== "object" || answer === null || !("shouldContinue" in answer)) return answer;
  const { shouldContinue, action, ...rest } = answer as Record<string, unknown>;
  const metadata = action === undefined ? {} : { metadata: { ...asObject(rest.metadata), action } };
  const accept = action === "complete" && shouldContinue === false ? { accept: true } : {};
  return { continue: shouldContinue, ...rest, ...metadata, ...accept };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** Rejects metadata that JSON cannot hold, because events are stored as JSON. */
function toStorable(metadata: Record<string, unknown>, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const text = JSON.stringify(metadata);
    if (text.length <= LONGEST_METADATA) return JSON.parse(text);
    context.addIssue(`longer than ${LONGEST_METADATA} characters`);
  } catch (error) {
    context.addIssue(`cannot be stored as JSON (${(error as Error).message.split("\n", 1)[0]})`);
  }
  return z.NEVER;
}

/** Undefined when the answer is not an object: the preview already shows that. */
function problemsOf(error: z.ZodError, answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  return error.issues.map(({ path, message }) => [...path.map(String), message].join(": ")).join("; ");
}
