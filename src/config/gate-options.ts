// Options that every gate has: name, type and policy. Every other key belongs to the gate's type.
import * as z from "zod";
import { duration, durationText } from "#options/duration";
import { dropUndefined, option, requiredOption, TYPE_NAME } from "#options/option";
import { show, wordsOr } from "#options/sentence";
import { count, names, positive, text } from "#options/values";
import type { Gate } from "#spec/gate";
import { GATE_POLICY_DEFAULTS, type GatePolicy } from "#spec/task";

const DEFAULTS = GATE_POLICY_DEFAULTS;
const BACKOFF_FACTOR = 2;
const MAX_BACKOFF_MS = 600_000;

const backoffMap = z.strictObject({
  delay: requiredOption({ schema: duration, doc: "Pause after the first failure." }),
  factor: option({
    schema: z.number().min(1).max(100),
    default: BACKOFF_FACTOR,
    doc: "Factor by which the pause grows with each further failure.",
  }),
  max: option({
    schema: duration,
    defaultText: `\`${durationText(MAX_BACKOFF_MS)}\`, or \`delay\` if that is longer`,
    doc: "Longest pause.",
  }),
});

const backoff = z
  .union([duration.transform((delay) => ({ delay, factor: BACKOFF_FACTOR, max: undefined })), backoffMap])
  .transform(({ delay, factor, max }, context) => {
    if (max !== undefined && max < delay)
      context.addIssue({
        code: "custom",
        path: ["max"],
        message: "expected max to be at least as long as delay",
      });
    return { delayMs: delay, factor, maxMs: max ?? Math.max(delay, MAX_BACKOFF_MS) };
  });

const feedbackMap = z.strictObject({
  template: requiredOption({
    schema: text,
    doc: "Template of the feedback, with `{{gate}}`, `{{summary}}`, `{{failures}}` and `{{output}}`.",
  }),
});

const feedback = z.union([z.enum(["auto", "none"]), feedbackMap], {
  error: wordsOr(["auto", "none"], "{template: …}"),
});

const action = z.enum(["iterate", "stop", "escalate"]);

const onFailureMap = z.strictObject({
  action: option({
    schema: action,
    default: DEFAULTS.onFailure.action,
    doc: "Continues, ends the run, or continues and calls `hooks.escalate`.",
  }),
  maxAttempts: option({
    schema: count(10_000),
    doc: "Ends the run after this many failing verdicts in a row.",
  }),
  backoff: option({ schema: backoff, doc: "Pause before the gate judges again after a failure." }),
  feedback: option({
    schema: feedback,
    default: DEFAULTS.onFailure.feedback,
    doc: "What the agent hears of a failure: the failures, nothing, or your own text.",
  }),
});

/** Rejects options without effect, because the user would rely on them. */
const onFailureChecked = onFailureMap.transform((options, context) => {
  const { maxAttempts, backoff: pause } = options;
  for (const [key, value] of Object.entries({ maxAttempts, backoff: pause }))
    if (options.action === "stop" && value !== undefined)
      context.addIssue({
        code: "custom",
        path: [key],
        message: "has no effect with action: stop, which ends the run at the first failure",
      });
  return dropUndefined(options);
});

const onFailure = z.union(
  [action.transform((chosen) => dropUndefined(onFailureMap.parse({ action: chosen }))), onFailureChecked],
  { error: wordsOr(action.options, "{action: …}") },
);

const skipIf = z.strictObject({
  failed: requiredOption({ schema: names, doc: "Names of earlier gates; one that failed is enough." }),
});

const repeat = z
  .strictObject({
    runs: requiredOption({ schema: z.int().min(2).max(100), doc: "How often the gate judges at most." }),
    passes: requiredOption({ schema: count(100), doc: "How many of these must pass." }),
  })
  .refine(({ runs, passes }) => passes <= runs, {
    path: ["passes"],
    error: "expected no more passes than runs",
  });

const policyShape = {
  onFailure: option({
    schema: onFailure,
    default: DEFAULTS.onFailure.action,
    doc: "What happens when the gate fails.",
  }),
  onSuccess: option({
    schema: z.enum(["continue", "skip-remaining"]),
    default: DEFAULTS.onSuccess,
    doc: "Whether the gates after it still judge when it passes.",
  }),
  condition: option({
    schema: z.enum(["always", "on-change", "manual"]),
    default: DEFAULTS.condition,
    doc: "When the gate judges: always, only when files have changed, or once a person approves.",
  }),
  skipIf: option({ schema: skipIf, doc: "Skips the gate when one of these earlier gates failed." }),
  weight: option({
    schema: positive(1_000_000),
    default: DEFAULTS.weight,
    doc: "Share of the gate in the overall score.",
  }),
  repeat: option({
    schema: repeat,
    defaultText: "once",
    doc: "Lets a flaky gate judge several times, and says how many of these must pass.",
    see: "review.md",
  }),
  cleanRoom: option({
    schema: z.boolean(),
    defaultText: "as `cleanRoom` of the task says",
    doc: "Whether this gate judges in a clean room.",
    see: "clean-room.md",
  }),
};

const gateName = text.max(100).regex(/^.*$/, { error: "expected a name on one line" });

const gateShape = {
  name: option({
    schema: gateName,
    defaultText: "the command, or the type",
    doc: "Name of the gate; every gate needs its own.",
  }),
  type: option({
    schema: text,
    defaultText: "`command` for a gate with a `command`",
    doc: "Type of the gate, which decides its further options.",
    see: "agents-and-gates.md",
  }),
  ...policyShape,
};

/** Keys that every type of gate has. */
export const GATE_KEYS: readonly string[] = Object.keys(gateShape);

const isGate = (value: unknown): value is Gate =>
  typeof (value as Partial<Gate> | null | undefined)?.judge === "function";

/** A gate object of the SDK, used as it is. */
export const liveGate = z.custom<Gate>(isGate);

/** An entry of `gates`: a command, a description, or a gate object. */
export const gate = z
  .union([text, liveGate, z.looseObject(gateShape)], {
    error: ({ input }) => `expected a command or a map of keys, got ${show(input)}`,
  })
  .meta({ [TYPE_NAME]: "command or map" });

/** Parses the policy of a gate from the keys that every gate has. */
export const gatePolicy = z.object(policyShape).transform((policy): GatePolicy => dropUndefined(policy));
