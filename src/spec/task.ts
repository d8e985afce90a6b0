// What is wanted, fully resolved: defaults filled in, durations in milliseconds, paths absolute, texts frozen.

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
}

export interface GateSpec {
  readonly name: string;
  readonly use: Component;
  readonly policy: GatePolicy;
}

export interface Task {
  readonly prompt: string;
  readonly agent: Component;
  readonly gates: readonly GateSpec[];
  readonly strategy: Component;
  readonly memory: Component;
  readonly workspace: { readonly type: string; readonly dir: string };
  readonly limits: Limits;
  /** Names of the gates that must pass; empty means all of them. */
  readonly until: readonly string[];
  readonly baseline: boolean;
  readonly requireChange: boolean;
  readonly ignorePreexisting: boolean;
  /** What becomes of the files of an iteration that was cut off: undone, or kept to go on from. */
  readonly onResume: "restore" | "keep";
  readonly feedback: { readonly failures: number; readonly chars: number; readonly total: number };
  readonly template?: { readonly name: string; readonly text: string };
  readonly promise?: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Variables whose value is a file's content at the start of each iteration. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell commands told of what happened; they never change the outcome. */
  readonly hooks: { readonly end?: string; readonly escalate?: string };
}
