// The options of a task file, each declared once: schema, default and one sentence. The schemas of a layer, a profile and
// the merged task, the JSON Schema and the reference page all come from here.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined, option, requiredOption } from "#options/option";
import { show } from "#options/sentence";
import { count, names, onOff, text } from "#options/values";
import { TASK_DEFAULTS } from "#spec/task";
import { cleanRoom } from "./clean-room.ts";
import { deliver } from "./delivery.ts";
import { gate } from "./gate-options.ts";
import { limits } from "./limits.ts";
import { notification, telemetry } from "./notifications.ts";
import { protect } from "./protect-options.ts";
import { agent, memory, strategy } from "./read-parts.ts";
import { isolation, workspace } from "./workspace.ts";

const dollars = z.number().min(0).max(100_000);

const price = z
  .strictObject({
    input: requiredOption({ schema: dollars, doc: "Dollars for a million input tokens." }),
    output: requiredOption({ schema: dollars, doc: "Dollars for a million output tokens." }),
    cached: option({ schema: dollars, doc: "Dollars for a million cached input tokens." }),
  })
  .transform((prices) => dropUndefined(prices));

const feedback = z.strictObject({
  failures: option({
    schema: count(1000),
    default: TASK_DEFAULTS.feedback.failures,
    doc: "How many failures the next prompt describes.",
  }),
  chars: option({
    schema: count(100_000),
    default: TASK_DEFAULTS.feedback.chars,
    doc: "Longest description of one failure, in characters.",
  }),
  total: option({
    schema: count(1_000_000),
    default: TASK_DEFAULTS.feedback.total,
    doc: "Longest description of all failures together, in characters.",
  }),
});

const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: ({ input }) => `expected a text, a number, true or false, got ${show(input)}`,
});

const hooks = z
  .strictObject({
    end: option({ schema: text, doc: "Shell command that runs when the run ends." }),
    escalate: option({ schema: text, doc: "Shell command that runs when a gate escalates." }),
  })
  .transform((commands) => dropUndefined(commands));

const promise = text.refine((words) => !/[<>]/.test(words), { error: "expected words without < and >" });

/** Options of a task and of a profile. A key with the name of a field of `Task` becomes that field. */
const taskShape = {
  prompt: option({
    schema: text,
    defaultText: "`prompt` or `promptFile` is required",
    doc: "What the agent is to do.",
  }),
  promptFile: option({ schema: text, doc: "File with the prompt." }),
  agent: option({
    schema: agent,
    defaultText: "the first installed agent, if possible one that is logged in",
    doc: "The agent that works.",
    see: "agents.md",
  }),
  agents: option({
    schema: z.array(agent).min(1),
    doc: "Several agents, instead of `agent`: the next one takes over when one is blocked or away for long.",
    see: "agents.md",
  }),
  rotate: option({
    schema: z.boolean(),
    default: TASK_DEFAULTS.rotate,
    doc: "Whether `agents` take turns instead.",
    see: "agents.md",
  }),
  context: option({
    schema: z.enum(["fresh", "resume"]),
    default: TASK_DEFAULTS.context,
    doc: "Whether each iteration starts a new session of the agent or resumes the previous one.",
  }),
  isolation: option({
    schema: isolation,
    default: TASK_DEFAULTS.isolation.type,
    doc: "How the agent is isolated from the machine.",
    see: "isolation.md",
  }),
  secrets: option({
    schema: names,
    default: [...TASK_DEFAULTS.secrets],
    doc: "Names of environment variables to mask, besides those that look secret.",
    see: "secrets.md",
  }),
  prices: option({
    schema: z.record(text, price),
    default: TASK_DEFAULTS.prices,
    doc: "Prices by model; they override the built-in ones.",
  }),
  gates: option({
    schema: z.array(gate),
    defaultText: "none, which only a strategy or a promise that needs no gate allows",
    doc: "What must pass, in the order in which the gates judge; a text is a command.",
    see: "agents-and-gates.md",
  }),
  strategy: option({
    schema: strategy,
    default: TASK_DEFAULTS.strategy.type,
    doc: "Decides when to stop.",
    see: "strategies.md",
  }),
  memory: option({
    schema: memory,
    default: TASK_DEFAULTS.memory.type,
    doc: "What the next iteration is told about the earlier ones.",
    see: "memory.md",
  }),
  workspace: option({
    schema: workspace,
    default: TASK_DEFAULTS.workspace.type,
    doc: "Where the agent works.",
    see: "remote-workspaces.md",
  }),
  limits: option({ schema: limits, default: {}, doc: "What ends a run that does not converge." }),
  until: option({
    schema: names,
    default: [...TASK_DEFAULTS.until],
    defaultText: "all gates",
    doc: "Names of the gates that must pass.",
  }),
  baseline: option({
    schema: onOff,
    default: TASK_DEFAULTS.baseline,
    doc: "Whether the gates judge the untouched workspace first.",
  }),
  allowErroredBaseline: option({
    schema: z.boolean(),
    default: false,
    doc: "Starts the agent although a gate cannot judge the baseline, because the agent is to build what is missing.",
    see: "agents-and-gates.md",
  }),
  gateTimeout: option({
    schema: duration,
    defaultText: "that of `command` gates",
    doc: "Time limit of `command` gates that have no `timeout` of their own.",
    see: "agents-and-gates.md",
  }),
  requireChange: option({
    schema: z.boolean(),
    default: TASK_DEFAULTS.requireChange,
    doc: "Continues although everything passes before anything was changed.",
  }),
  requirePromise: option({
    schema: z.boolean(),
    default: TASK_DEFAULTS.requirePromise,
    doc: "Requires the `promise` of the agent besides passing gates; without gates, only the promise counts.",
  }),
  ignorePreexisting: option({
    schema: z.boolean(),
    default: TASK_DEFAULTS.ignorePreexisting,
    doc: "Lets the run converge with failures that the baseline already had.",
  }),
  onDivergence: option({
    schema: z.enum(["keep-last", "restore-best"]),
    default: TASK_DEFAULTS.onDivergence,
    doc: "Which files a run that diverges leaves: the last ones, or those of its best iteration, with the last ones saved as a tree.",
  }),
  onResume: option({
    schema: z.enum(["restore", "keep"]),
    defaultText: `\`${TASK_DEFAULTS.onResume}\` in place, \`restore\` in a worktree or a clone`,
    doc: "What happens to the files of an interrupted iteration when the run is resumed.",
  }),
  protect: option({
    schema: protect,
    default: "on",
    defaultText: "`on`: tests and what steers them",
    doc: "Files that the agent must not change, because the gates judge by them.",
    see: "protect.md",
  }),
  cleanRoom: option({
    schema: cleanRoom,
    default: "off",
    doc: "Whether gates judge a fresh copy of the snapshot.",
    see: "clean-room.md",
  }),
  deliver: option({
    schema: deliver,
    default: "none",
    doc: "How the work is handed over when the run has converged.",
    see: "deliver.md",
  }),
  feedback: option({
    schema: feedback,
    default: {},
    doc: "How much the next prompt says about failures; the names of failing tests have their own limit.",
    see: "agents-and-gates.md",
  }),
  template: option({ schema: text, defaultText: "built in", doc: "Handlebars file for the prompt." }),
  promise: option({
    schema: promise,
    doc: "Text that the agent outputs as `<promise>…</promise>` when it is done.",
  }),
  vars: option({
    schema: z.record(z.string(), scalar.transform(String)),
    default: TASK_DEFAULTS.vars,
    doc: "Your own template variables.",
  }),
  files: option({
    schema: z.record(z.string(), text),
    default: TASK_DEFAULTS.files,
    doc: "Your own template variables with the content of files, which are read anew in each iteration.",
  }),
  hooks: option({
    schema: hooks,
    default: TASK_DEFAULTS.hooks,
    doc: "Shell commands that run after events; they never change the outcome.",
  }),
  notify: option({
    schema: z.array(notification),
    defaultText: "nobody",
    doc: "Who is notified of what happens.",
    see: "notifications.md",
  }),
  telemetry: option({
    schema: telemetry,
    defaultText: "`OTEL_EXPORTER_OTLP_ENDPOINT`, else nowhere",
    doc: "Where traces and metrics are sent.",
    see: "telemetry.md",
  }),
};

const profileFile = z.strictObject({
  ...taskShape,
  extends: option({ schema: names, doc: "Profiles that this one builds on." }),
});

/** Schema of one layer. Every key is optional, because layers complete each other. */
export const taskFile = z
  .strictObject({
    ...taskShape,
    profile: option({
      schema: text,
      doc: "Name of the profile that is applied; `--profile` chooses another.",
    }),
    profiles: option({
      schema: z.record(text, profileFile),
      doc: "Parts of a task that a user enables by name.",
    }),
  })
  .meta({ title: "Task file of Converge" });

/** A task with the keys of the task file, given as flags or as an object; parts may be SDK objects. */
export type TaskInput = z.input<typeof taskFile>;

/** Schema of the merged layers. Fills in the defaults. */
export const mergedTask = z.strictObject(taskShape);

export type MergedTask = z.output<typeof mergedTask>;
