// Schema of the task file. Every key is optional, because layers complete each other.
import * as z from "zod";
import { duration } from "#options/duration";
import { show, wordsOr } from "#options/sentence";
import { count, names, onOff, positive, text } from "#options/values";
import { type Agent, TIERS } from "#spec/agent";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { type Limits, TASK_DEFAULTS } from "#spec/task";
import { gate } from "./gate-schema.ts";
import { gitRef, gitUrl } from "./git-url.ts";
import { httpUrl, notification, variable } from "./notify-schema.ts";
import { readEntry } from "./protect-entry.ts";

const HOUR_MS = 3_600_000;

const hasMethod = (method: string) => (value: unknown) =>
  typeof (value as Readonly<Record<string, unknown>> | null | undefined)?.[method] === "function";

export const liveAgent = z.custom<Agent>(hasMethod("run"));
export const liveMemory = z.custom<Memory>(hasMethod("recall"));
export const liveStrategy = z.custom<Strategy>((value) => typeof value === "function");

/** A type alone, or a type with its options, which the registry validates. */
function component<Live>(live: z.ZodType<Live>) {
  return z.union([live, text, z.looseObject({ type: text.optional() })], {
    error: ({ input }) => `expected a type or {type: …}, got ${show(input)}`,
  });
}

export const limits = z
  .strictObject({
    iterations: count(100_000).default(TASK_DEFAULTS.limits.iterations),
    time: duration.optional(),
    iteration: duration.default(HOUR_MS),
    idle: duration.optional(),
    tokens: count(1_000_000_000_000).optional(),
    cost: positive(1_000_000).optional(),
    agentFailures: count(1000).default(3),
  })
  .transform(
    ({ time, iteration, idle, tokens, cost, ...rest }): Limits => ({
      ...rest,
      iterationMs: iteration,
      ...(time === undefined ? {} : { timeMs: time }),
      ...(idle === undefined ? {} : { idleMs: idle }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(cost === undefined ? {} : { cost }),
    }),
  );

const workspaceType = z.enum(["in-place", "worktree"]);

interface WorkspaceOption {
  readonly type?: z.output<typeof workspaceType> | undefined;
  readonly dir?: string | undefined;
  readonly git?: string | undefined;
  readonly ref?: string | undefined;
  readonly snapshots?: string | undefined;
}

const workspace = z.union(
  [
    workspaceType.transform((type): WorkspaceOption => ({ type })),
    z.strictObject({
      type: workspaceType.optional(),
      dir: text.optional(),
      git: gitUrl.optional(),
      ref: gitRef.optional(),
      snapshots: gitUrl.optional(),
    }),
  ],
  { error: wordsOr([...workspaceType.options, "{type: …, dir: …}"], "{git: …, ref: …}") },
);

const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: ({ input }) => `expected a text, a number, true or false, got ${show(input)}`,
});

const feedback = z.strictObject({
  failures: count(1000).default(10),
  chars: count(100_000).default(500),
  total: count(1_000_000).default(4000),
});

const protection = z
  .union([text, z.strictObject({ path: text, new: z.enum(["allow", "refuse"]).optional() })], {
    error: ({ input }) => `expected a path or {path: …, new: …}, got ${show(input)}`,
  })
  .transform((value, context) => {
    if (value === "default") return value;
    const entry = readEntry(typeof value === "string" ? { path: value } : value);
    if (typeof entry !== "string") return entry;
    context.addIssue({ code: "custom", message: entry });
    return z.NEVER;
  });

const protect = z.union(
  [
    z.array(protection).transform((paths) => ({ paths, action: undefined })),
    onOff.transform((on) => ({ paths: on ? undefined : [], action: undefined })),
    z.strictObject({
      paths: z.array(protection).optional(),
      action: z.enum(["restore", "fail", "allow"]).optional(),
    }),
  ],
  { error: wordsOr(["a list of paths", "off"], "{paths: …, action: …}") },
);

const cleanRoom = z.union(
  [
    onOff.transform((on) => ({ on })),
    z
      .strictObject({
        setup: names.optional(),
        setupTimeout: duration.optional(),
        cache: z.record(text, names).optional(),
        env: names.optional(),
      })
      .transform((options) => ({ on: true, ...options })),
  ],
  { error: wordsOr(["on", "off"], "{setup: …, cache: …}") },
);

const deliverType = z.enum(["none", "branch", "commit", "patch", "pull-request"]);

const deliver = z.union(
  [
    deliverType.transform((type) => ({ type })),
    z.strictObject({
      type: deliverType,
      branch: text.optional(),
      message: text.optional(),
      remote: text.optional(),
      base: text.optional(),
      file: text.optional(),
      whenRed: z.boolean().optional(),
    }),
  ],
  { error: wordsOr(deliverType.options, "{type: …}") },
);

const dollars = z.number().min(0).max(100_000);

const isolationType = z.enum(["auto", "off", "strict", "runtime"]);

const isolation = z.union(
  [
    isolationType.transform((type) => ({ type })),
    z.strictObject({
      type: isolationType.optional(),
      network: onOff.optional(),
      writable: names.optional(),
      require: z.enum(TIERS).optional(),
    }),
  ],
  { error: wordsOr(isolationType.options, "{type: …}") },
);

const price = z
  .strictObject({ input: dollars, output: dollars, cached: dollars.optional() })
  .transform(({ cached, ...rest }) => ({ ...rest, ...(cached !== undefined && { cached }) }));

const telemetry = z.union(
  [
    z.literal("off"),
    z
      .strictObject({ endpoint: httpUrl, headersEnv: variable.optional() })
      .transform(({ endpoint, headersEnv }) => ({ endpoint, ...(headersEnv && { headersEnv }) })),
  ],
  { error: wordsOr(["off"], "{endpoint: …}") },
);

const partShape = {
  prompt: text.optional(),
  promptFile: text.optional(),
  agent: component(liveAgent).optional(),
  agents: z.array(component(liveAgent)).min(1).optional(),
  rotate: z.boolean().optional(),
  context: z.enum(["fresh", "resume"]).optional(),
  isolation: isolation.optional(),
  secrets: names.optional(),
  prices: z.record(text, price).optional(),
  gates: z.array(gate).optional(),
  strategy: component(liveStrategy).optional(),
  memory: component(liveMemory).optional(),
  workspace: workspace.optional(),
  limits: limits.optional(),
  until: names.optional(),
  baseline: onOff.optional(),
  allowErroredBaseline: z.boolean().optional(),
  gateTimeout: duration.optional(),
  requireChange: z.boolean().optional(),
  requirePromise: z.boolean().optional(),
  ignorePreexisting: z.boolean().optional(),
  onDivergence: z.enum(["keep-last", "restore-best"]).optional(),
  onResume: z.enum(["restore", "keep"]).optional(),
  protect: protect.optional(),
  cleanRoom: cleanRoom.optional(),
  deliver: deliver.optional(),
  feedback: feedback.optional(),
  template: text.optional(),
  promise: text
    .refine((words) => !/[<>]/.test(words), { error: "expected words without < and >" })
    .optional(),
  vars: z.record(z.string(), scalar.transform(String)).optional(),
  files: z.record(z.string(), text).optional(),
  hooks: z.strictObject({ end: text.optional(), escalate: text.optional() }).optional(),
  notify: z.array(notification).optional(),
  telemetry: telemetry.optional(),
};

/** A part of a task that the user enables by name. */
const profileFile = z.strictObject({ ...partShape, extends: names.optional() });

export const taskFile = z.strictObject({
  ...partShape,
  profile: text.optional(),
  profiles: z.record(text, profileFile).optional(),
});

/** A task with the keys of the task file, given as flags or as an object; parts may be SDK objects. */
export type TaskInput = z.input<typeof taskFile>;

/** Schema of the merged layers. */
export const mergedTask = z.strictObject({
  ...partShape,
  limits: limits.prefault({}),
  feedback: feedback.prefault({}),
});

export type MergedTask = z.output<typeof mergedTask>;
