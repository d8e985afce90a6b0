// Arguments and options that several commands share, and how options become keys of the task file.
import { UsageError } from "#spec/errors";
import { type Argument, attributeOf, longFlagOf, type Option } from "./command.ts";
import { numberOrText } from "./values.ts";

const RUN_NAME = "id of the run, a unique prefix of it, or `last`";
export const RUN: Argument = { name: "<run>", description: RUN_NAME };
export const RUN_OR_LAST: Argument = { name: "[run]", description: RUN_NAME, default: "last" };
export const TASK_FILE: Argument = {
  name: "[task]",
  description: "task file (default: converge.yaml if it exists)",
};

/** An option that sets a key of the task. To add one: add it to a group below. */
interface TaskOption extends Option {
  /** A key of the task file, such as `limits.time`. */
  readonly key: string;
  /** Converts the value from the command line; undefined leaves the key unset. Without it, the value is used as it is. */
  readonly toTask?: (value: never) => unknown;
}

/** Parsed options, by attribute name. */
export type Flags = object;

export const PROMPT: TaskOption = {
  flags: "-p, --prompt <text>",
  description: "the task for the agent",
  key: "prompt",
};

export const agentFlags: readonly TaskOption[] = [
  {
    flags: "--agent <name>",
    description: "agent to use (default: the first one installed; see converge agents)",
    key: "agent",
  },
  {
    flags: "--agent-cmd <command>",
    description: "use any command as the agent; it gets the prompt on standard input",
    key: "agent",
    toTask: (command: string) => ({ type: "command", command }),
  },
];

export const GATE: TaskOption = {
  flags: "--gate <command>",
  description: "command that must pass; repeatable",
  isRepeatable: true,
  key: "gates",
};

export const gateFlags: readonly TaskOption[] = [
  {
    flags: "--gate-timeout <duration>",
    description: "time limit of a gate without its own, such as 20m (default: 10m)",
    key: "gateTimeout",
  },
  {
    flags: "--allow-errored-baseline",
    description:
      "start the agent even if a gate cannot judge yet, because the agent has to build what is missing",
    key: "allowErroredBaseline",
  },
];

interface LimitDefaults {
  readonly iterations: string;
  readonly time: string;
  readonly cost?: string;
}

/** Limits of a run; the help names the defaults of the command. */
export function limitFlags({ iterations, time, cost }: LimitDefaults): readonly TaskOption[] {
  return [
    {
      flags: "--max-iterations <n>",
      description: `maximum number of iterations (default: ${iterations})`,
      key: "limits.iterations",
      toTask: numberOrText,
    },
    {
      flags: "--max-time <duration>",
      description: `maximum time, such as 2h (default: ${time})`,
      key: "limits.time",
    },
    {
      flags: "--max-cost <usd>",
      description: `maximum cost in dollars${cost ? ` (default: ${cost})` : ""}`,
      key: "limits.cost",
      toTask: numberOrText,
    },
  ];
}

export const workspaceFlags: readonly TaskOption[] = [
  {
    flags: "--workspace <type>",
    description: "where the agent works: in-place or worktree",
    key: "workspace",
  },
  {
    flags: "--isolation <type>",
    description: "sandbox of the agent: auto, off, strict or runtime",
    key: "isolation.type",
  },
];

const toProtect = (globs: readonly string[] | false | true) => {
  if (globs === true) return undefined;
  return globs === false ? "off" : ["default", ...globs];
};

export const protectFlags: readonly TaskOption[] = [
  {
    flags: "--protect <glob>",
    description: "protect these files in addition to the default; repeatable",
    isRepeatable: true,
    key: "protect",
    toTask: toProtect,
  },
  {
    flags: "--no-protect",
    description: "let the agent change all files, including tests",
    key: "protect",
    toTask: toProtect,
  },
];

export const DELIVER: TaskOption = {
  flags: "--deliver <how>",
  description: "deliver the work when the gates pass: branch, commit, patch or pull-request",
  key: "deliver",
};

/** Task options of `converge run` alone. */
export const runFlags: readonly TaskOption[] = [
  {
    flags: "--strategy <name>",
    description: "strategy that decides when to stop, such as fixed or adaptive (default: hybrid)",
    key: "strategy",
  },
  {
    flags: "--iteration-timeout <duration>",
    description: "maximum time of one agent run, such as 20m",
    key: "limits.iteration",
  },
  {
    flags: "--require-isolation [tier]",
    description: "refuse to run below this isolation tier (default: contained)",
    key: "isolation.require",
    toTask: (tier: string | true) => (tier === true ? "contained" : tier),
  },
  {
    flags: "--clean-room",
    description: "judge a fresh copy of the files, in an environment that the agent could not change",
    key: "cleanRoom",
  },
];

export const PROFILE: Option = { flags: "--profile <name>", description: "profile of the task file to use" };

export const JSON_EVENTS: Option = { flags: "--json", description: "print only events, as JSON lines" };

export const WAIT: Option = {
  flags: "--wait",
  description: "keep running while a person has to answer, and continue after the answer",
};

export const DETACH: Option = { flags: "--detach", description: "run in the background" };

const isTaskOption = (option: Option): option is TaskOption => "key" in option;

/** Converts parsed flags to keys of the task file. Two options that set the same key exclude each other. */
export function taskFrom(options: readonly Option[], flags: Flags): Record<string, unknown> {
  const task: Record<string, unknown> = {};
  const setBy = new Map<string, Option>();
  for (const option of options.filter(isTaskOption)) {
    const attribute = attributeOf(option);
    const given = (flags as Record<string, unknown>)[attribute];
    if (given === undefined) continue;
    const value = option.toTask ? option.toTask(given as never) : given;
    if (value === undefined) continue;
    const other = setBy.get(option.key);
    if (other && attributeOf(other) !== attribute)
      throw new UsageError(`give ${longFlagOf(other)} or ${longFlagOf(option)}, not both`);
    setBy.set(option.key, option);
    const [outer = option.key, inner] = option.key.split(".");
    task[outer] = inner === undefined ? value : { ...(task[outer] as object), [inner]: value };
  }
  return task;
}
