// What is wanted, fully resolved: defaults filled in, durations in milliseconds, paths absolute, texts frozen.

import type { Price, Tier } from "./agent.ts";
import type { Notify } from "./notify.ts";

/** Something made by a registry: its type, and the options that type understands. */
export interface Component {
  readonly type: string;
  readonly [option: string]: unknown;
}

export interface Limits {
  readonly iterations: number;
  /** Time the run may be active, agents and gates included. */
  readonly timeMs?: number;
  /** Time one agent run may take. */
  readonly iterationMs: number;
  /** Time an agent may go without printing anything. */
  readonly idleMs?: number;
  readonly tokens?: number;
  readonly cost?: number;
  /** Agent runs that may fail one after the other. */
  readonly agentFailures: number;
}

export interface GatePolicy {
  readonly onFailure: {
    readonly action: "iterate" | "stop" | "escalate";
    /** Failing verdicts in a row after which the run ends. */
    readonly maxAttempts?: number;
    readonly backoff?: { readonly delayMs: number; readonly factor: number; readonly maxMs: number };
    /** `auto` quotes the failures, `none` keeps them from the agent, a template says it in the user's words. */
    readonly feedback: "auto" | "none" | { readonly template: string };
  };
  readonly onSuccess: "continue" | "skip-remaining";
  readonly condition: "always" | "on-change" | "manual";
  readonly skipIf?: { readonly failed: readonly string[] };
  readonly weight: number;
  /** For a flaky gate: it judges up to `runs` times and passes when `passes` of them do. */
  readonly repeat?: { readonly runs: number; readonly passes: number };
  /** Judges a fresh copy of the snapshot, in an environment that the agent had no hand in. */
  readonly cleanRoom?: boolean;
}

export interface GateSpec {
  readonly name: string;
  readonly use: Component;
  readonly policy: GatePolicy;
}

/** Selects the pieces of a file that are protected: a make target, inline tests, a table of settings. */
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
  /** Which one, where a file has several: the target, the table. */
  readonly name?: string;
}

/** Files, or parts of files, that the agent must not change because verdicts rest on them. */
export interface Protection {
  /** Path or glob, relative to the workspace. */
  readonly path: string;
  /** Keys that lead to a value in a JSON file; the rest of the file is free. */
  readonly key?: readonly string[];
  /** Only this part of the file is protected; the rest is free. */
  readonly part?: FilePart;
  /** Globs of files that match `path` and are free all the same. */
  readonly except?: readonly string[];
  /** Files that git ignores when the run starts are free. */
  readonly ignored?: "free";
  /** New files that match are allowed; existing ones must not change. */
  readonly grows: boolean;
  /** Why it is protected, for people. Absent in older runs. */
  readonly reason?: string;
}

export interface Protect {
  readonly paths: readonly Protection[];
  /** What happens when one was changed: put back, end the run, or only say so. */
  readonly action: "restore" | "fail" | "allow";
}

export interface CleanRoom {
  /** Shell commands that make the fresh copy ready to be judged. */
  readonly setup: readonly string[];
  readonly setupMs: number;
  /** Folders that setup fills, reused while the files they are made from are the same. */
  readonly cache: readonly { readonly path: string; readonly key: readonly string[] }[];
  /** Names of further environment variables that gates may see. */
  readonly env: readonly string[];
}

export interface Deliver {
  readonly type: "branch" | "commit" | "patch" | "pull-request";
  /** Name of the branch; `converge/RUN` unless told. */
  readonly branch?: string;
  /** Commit message, and title of a pull request. */
  readonly message?: string;
  readonly remote: string;
  /** Branch that a pull request is meant for. */
  readonly base?: string;
  /** File for the patch, absolute. */
  readonly file?: string;
  /** Also when gates are red. */
  readonly whenRed: boolean;
}

export interface IsolationSpec {
  /** auto: contained where the machine can, else basic. */
  readonly type: "auto" | "off" | "strict" | "runtime";
  readonly network: boolean;
  /** With strict and runtime: folders besides the workspace that may be written. */
  readonly writable: readonly string[];
  /** Less than this is refused. */
  readonly require?: Tier;
}

export interface WorkspaceSpec {
  readonly type: string;
  readonly dir: string;
  /** A repository that any machine can fetch, instead of a folder of this one; `dir` is where it lies here. */
  readonly git?: { readonly url: string; readonly ref: string };
  /** Repository that snapshots are pushed to, as refs/converge/RUN/ITERATION; absent: they are kept in the shared store. */
  readonly snapshots?: string;
  /** A folder of another machine, instead: the snapshot of it that is kept with the run in the shared store. */
  readonly bundle?: string;
  /** That folder was a git repository; its history stays where it is. */
  readonly repository?: true;
}

export interface Task {
  readonly prompt: string;
  /** The first one works; the next takes over when it is blocked. */
  readonly agents: readonly Component[];
  /** The agents take turns instead. */
  readonly rotate: boolean;
  /** Whether each iteration starts a new session of the agent, or goes on with the one before. */
  readonly context: "fresh" | "resume";
  readonly isolation: IsolationSpec;
  /** Names of variables whose values are masked, besides those that look secret. */
  readonly secrets: readonly string[];
  /** By model, before those that we know. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly gates: readonly GateSpec[];
  readonly strategy: Component;
  readonly memory: Component;
  readonly workspace: WorkspaceSpec;
  readonly limits: Limits;
  /** Names of the gates that must pass; empty means all of them. */
  readonly until: readonly string[];
  readonly baseline: boolean;
  /** The agent starts although a gate cannot judge the baseline: it is to build what the gate needs. */
  readonly allowErroredBaseline?: true;
  readonly requireChange: boolean;
  /** The gates alone are not enough: the agent has to give the promise as well. */
  readonly requirePromise: boolean;
  readonly ignorePreexisting: boolean;
  /** What a run that diverges leaves behind: the files as they are, or those of its best iteration. */
  readonly onDivergence: "keep-last" | "restore-best";
  /** What becomes of the files of an iteration that was cut off: undone, or kept to go on from. */
  readonly onResume: "restore" | "keep";
  readonly protect?: Protect;
  readonly cleanRoom?: CleanRoom;
  readonly deliver?: Deliver;
  readonly feedback: { readonly failures: number; readonly chars: number; readonly total: number };
  readonly template?: { readonly name: string; readonly text: string };
  readonly promise?: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Variables whose value is a file's content at the start of each iteration. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell commands told of what happened; they never change the outcome. */
  readonly hooks: { readonly end?: string; readonly escalate?: string };
  /** Who is told beside the run. */
  readonly notify?: readonly Notify[];
  /** Where traces and metrics are sent, unless the environment says so; off: nowhere, whatever it says. */
  readonly telemetry?: "off" | { readonly endpoint: string; readonly headersEnv?: string };
}
