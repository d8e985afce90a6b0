// Schema of a gate entry: this file reads the policy keys, every other key belongs to the gate's type.
import * as z from "zod";
import { duration } from "#options/duration";
import { show, wordsOr } from "#options/sentence";
import { count, names, positive, text } from "#options/values";
import type { Gate } from "#spec/gate";
import type { GatePolicy } from "#spec/task";

const MAX_BACKOFF_MS = 600_000;

const action = z.enum(["iterate", "stop", "escalate"]);

const backoff = z
  .union([
    duration.transform((delay) => ({ delay, factor: 2, max: undefined })),
    z.strictObject({
      delay: duration,
      factor: z.number().min(1).max(100).default(2),
      max: duration.optional(),
    }),
  ])
  .transform(({ delay, factor, max }, context) => {
    if (max !== undefined && max < delay)
      context.addIssue({
        code: "custom",
        path: ["max"],
        message: "expected max to be at least as long as delay",
      });
    return { delayMs: delay, factor, maxMs: max ?? Math.max(delay, MAX_BACKOFF_MS) };
  });

const feedback = z.union([z.enum(["auto", "none"]), z.strictObject({ template: text })], {
  error: wordsOr(["auto", "none"], "{template: …}"),
});

const onFailure = z.union(
  [
    action.transform((chosen) => ({ action: chosen, feedback: "auto" as const })),
    z
      .strictObject({
        action: action.default("iterate"),
        maxAttempts: count(10_000).optional(),
        backoff: backoff.optional(),
        feedback: feedback.default("auto"),
      })
      .transform(({ maxAttempts, backoff: wait, ...rest }, context) => {
        // Rejects options without effect, because the user would rely on them.
        for (const [key, value] of Object.entries({ maxAttempts, backoff: wait }))
          if (rest.action === "stop" && value !== undefined)
            context.addIssue({
              code: "custom",
              path: [key],
              message: "has no effect with action: stop, which ends the run at the first failure",
            });
        return {
          ...rest,
          ...(maxAttempts === undefined ? {} : { maxAttempts }),
          ...(wait === undefined ? {} : { backoff: wait }),
        };
      }),
  ],
  { error: wordsOr(action.options, "{action: …}") },
);

const policyShape = {
  onFailure: onFailure.default({ action: "iterate", feedback: "auto" }),
  onSuccess: z.enum(["continue", "skip-remaining"]).default("continue"),
  condition: z.enum(["always", "on-change", "manual"]).default("always"),
  skipIf: z.strictObject({ failed: names }).optional(),
  weight: positive(1_000_000).default(1),
  repeat: z
    .strictObject({ runs: z.int().min(2).max(100), passes: count(100) })
    .refine(({ runs, passes }) => passes <= runs, {
      path: ["passes"],
      error: "expected no more passes than runs",
    })
    .optional(),
  cleanRoom: z.boolean().optional(),
};

const gateName = text.max(100).regex(/^.*$/, { error: "expected a name on one line" });

const gateShape = { name: gateName.optional(), type: text.optional(), ...policyShape };

/** Keys that every type of gate has. */
export const GATE_KEYS: readonly string[] = Object.keys(gateShape);

const isGate = (value: unknown): value is Gate =>
  typeof (value as Partial<Gate> | null | undefined)?.judge === "function";

/** A gate object of the SDK, used as it is. */
export const liveGate = z.custom<Gate>(isGate);

/** An entry of `gates`: a command, a description, or a gate object. */
export const gate = z.union([text, liveGate, z.looseObject(gateShape)], {
  error: ({ input }) => `expected a command or a map of keys, got ${show(input)}`,
});

/** Parses the policy of a gate from the keys that every gate has. */
export const gatePolicy = z.object(policyShape).transform(
  ({ skipIf, repeat, cleanRoom, ...policy }): GatePolicy => ({
    ...policy,
    ...(skipIf && { skipIf }),
    ...(repeat && { repeat }),
    ...(cleanRoom !== undefined && { cleanRoom }),
  }),
);
