// A task, fully resolved: defaults filled in, durations in milliseconds, absolute paths, texts frozen.

import type { Price, Tier } from "./agent.ts";
import type { Notify } from "./notify.ts";

/** A part made by a registry: its type, and the options of that type. */
export interface Component {
  readonly type: string;
  readonly [option: string]: unknown;
}

export interface Limits {
  readonly iterations: number;
  /** Active time of the run, agents and gates included. */
  readonly timeMs?: number;
  /** Timeout of one agent run. */
  readonly iterationMs: number;
  /** Idle timeout: longest time without output of the agent. */
  readonly idleMs?: number;
  readonly tokens?: number;
  readonly cost?: number;
  /** Consecutive failed agent runs after which the run ends. */
  readonly agentFailures: number;
}

export interface GatePolicy {
  readonly onFailure: {
    readonly action: "iterate" | "stop" | "escalate";
    /** Consecutive failing verdicts after which the run ends. */
    readonly maxAttempts?: number;
    readonly backoff?: { readonly delayMs: number; readonly factor: number; readonly maxMs: number };
    /** `auto` quotes the failures, `none` hides them from the agent, a template words them. */
    readonly feedback: "auto" | "none" | { readonly template: string };
  };
  readonly onSuccess: "continue" | "skip-remaining";
  readonly condition: "always" | "on-change" | "manual";
  readonly skipIf?: { readonly failed: readonly string[] };
  readonly weight: number;
  /** For a flaky gate: it judges up to `runs` times and passes when `passes` of them do. */
  readonly repeat?: { readonly runs: number; readonly passes: number };
  /** Judges a fresh copy of the snapshot, in an environment the agent cannot influence. */
  readonly cleanRoom?: boolean;
}

export interface GateSpec {
  readonly name: string;
  readonly use: Component;
  readonly policy: GatePolicy;
}

/** The protected part of a file: a make target, inline tests, a table of settings. */
export interface FilePart {
  readonly kind:
    | "make-target"
    | "just-recipe"
    | "rust-tests"
    | "toml"
    | "ini"
    | "calls"
    | "maven-tests"
    | "gradle-tests"
    | "doctests"
    | "vitest-blocks"
    | "go-main"
    | "content";
  /** Name of the target or table, where a file has several. */
  readonly name?: string;
}

/** Files, or parts of files, that the agent must not change because verdicts depend on them. */
export interface Protection {
  /** Path or glob, relative to the workspace. */
  readonly path: string;
  /** Key path to a value in a JSON file; the rest of the file is not protected. */
  readonly key?: readonly string[];
  /** Protects only this part of the file. */
  readonly part?: FilePart;
  /** Globs of files that match `path` and are not protected. */
  readonly except?: readonly string[];
  /** Files that git ignores when the run starts are not protected. */
  readonly ignored?: "free";
  /** New files that match are allowed; existing ones must not change. */
  readonly grows: boolean;
  /** Why it is protected, for users. Absent in older runs. */
  readonly reason?: string;
}

export interface Protect {
  readonly paths: readonly Protection[];
  /** What to do about a change: restore the file, end the run, or only report it. */
  readonly action: "restore" | "fail" | "allow";
}

export interface CleanRoom {
  /** Shell commands that prepare the fresh copy. */
  readonly setup: readonly string[];
  readonly setupMs: number;
  /** Folders that setup fills, reused while their key files are unchanged. */
  readonly cache: readonly { readonly path: string; readonly key: readonly string[] }[];
  /** Additional environment variables that gates may see. */
  readonly env: readonly string[];
}

export interface Deliver {
  readonly type: "branch" | "commit" | "patch" | "pull-request";
  /** Branch name; default: `converge/RUN`. */
  readonly branch?: string;
  /** Commit message and pull request title. */
  readonly message?: string;
  readonly remote: string;
  /** Target branch of a pull request. */
  readonly base?: string;
  /** Absolute path of the patch file. */
  readonly file?: string;
  /** Whether to deliver also when gates fail. */
  readonly whenRed: boolean;
}

export interface IsolationSpec {
  /** auto: contained where the machine supports it, otherwise basic. */
  readonly type: "auto" | "off" | "strict" | "runtime";
  readonly network: boolean;
  /** With strict and runtime: writable folders besides the workspace. */
  readonly writable: readonly string[];
  /** Refuses to run with a weaker tier. */
  readonly require?: Tier;
}

export interface WorkspaceSpec {
  readonly type: string;
  readonly dir: string;
  /** A repository that any machine can fetch, instead of a local folder; `dir` is its local clone. */
  readonly git?: { readonly url: string; readonly ref: string };
  /** Repository to push snapshots to, as refs/converge/RUN/ITERATION; absent: they go to the shared store. */
  readonly snapshots?: string;
  /** A folder of another machine instead: its snapshot, sent with the run through the shared store. */
  readonly bundle?: string;
  /** Whether that folder was a git repository; its history is not sent. */
  readonly repository?: true;
}

export interface Task {
  readonly prompt: string;
  /** The first agent works; the next one takes over when it is blocked. */
  readonly agents: readonly Component[];
  /** Whether the agents take turns instead. */
  readonly rotate: boolean;
  /** Whether each iteration starts a new agent session or resumes the previous one. */
  readonly context: "fresh" | "resume";
  readonly isolation: IsolationSpec;
  /** Environment variables to mask, besides those that look secret. */
  readonly secrets: readonly string[];
  /** Prices per model; they override the built-in ones. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly gates: readonly GateSpec[];
  readonly strategy: Component;
  readonly memory: Component;
  readonly workspace: WorkspaceSpec;
  readonly limits: Limits;
  /** Names of the gates that must pass; empty: all. */
  readonly until: readonly string[];
  readonly baseline: boolean;
  /** Starts the agent although a gate cannot judge the baseline, because the agent is to build what the gate needs. */
  readonly allowErroredBaseline?: true;
  readonly requireChange: boolean;
  /** Besides passing gates, requires the agent's promise. */
  readonly requirePromise: boolean;
  readonly ignorePreexisting: boolean;
  /** Final files of a diverged run: the last ones, or those of its best iteration. */
  readonly onDivergence: "keep-last" | "restore-best";
  /** Files of an interrupted iteration on resume: restored, or kept to continue from. */
  readonly onResume: "restore" | "keep";
  readonly protect?: Protect;
  readonly cleanRoom?: CleanRoom;
  readonly deliver?: Deliver;
  readonly feedback: { readonly failures: number; readonly chars: number; readonly total: number };
  readonly template?: { readonly name: string; readonly text: string };
  readonly promise?: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Variables that hold a file's content, read at the start of each iteration. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell commands run after events; they never change the outcome. */
  readonly hooks: { readonly end?: string; readonly escalate?: string };
  /** Notifications. */
  readonly notify?: readonly Notify[];
  /** OTLP endpoint for traces and metrics, unless the environment names one; off: never send any. */
  readonly telemetry?: "off" | { readonly endpoint: string; readonly headersEnv?: string };
}

/** Defaults of every gate policy. */
export const GATE_POLICY_DEFAULTS = {
  onFailure: { action: "iterate", feedback: "auto" },
  onSuccess: "continue",
  condition: "always",
  weight: 1,
} as const satisfies GatePolicy;

/**
 * Defaults of a task: the value of each field that a resolved task always has. Stands beside the fields, because every
 * room may need it; the declarations of the options take their defaults from here.
 */
export const TASK_DEFAULTS = {
  rotate: false,
  context: "fresh",
  isolation: { type: "auto", network: true, writable: [] },
  secrets: [],
  prices: {},
  gates: [],
  strategy: { type: "hybrid" },
  memory: { type: "captured" },
  workspace: { type: "in-place" },
  limits: { iterations: 20, iterationMs: 3_600_000, agentFailures: 3 },
  until: [],
  baseline: true,
  requireChange: false,
  requirePromise: false,
  ignorePreexisting: false,
  onDivergence: "keep-last",
  /** In place, where the files belong to the user. */
  onResume: "keep",
  feedback: { failures: 10, chars: 500, total: 4000 },
  vars: {},
  files: {},
  hooks: {},
} as const satisfies Omit<Task, "prompt" | "agents" | "workspace"> & {
  readonly workspace: Pick<WorkspaceSpec, "type">;
};
