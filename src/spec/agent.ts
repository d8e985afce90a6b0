// Port of a coding agent: a CLI or a protocol.

export type AgentFailure =
  | "not-found"
  | "crashed"
  | "timed-out"
  | "idle"
  | "rate-limited"
  | "context-too-long"
  | "blocked"
  | "cancelled";

/** What a blocked agent lacks: a login, a permission, or quota. */
export type Blocker = "login" | "permission" | "quota";

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of input read from a cache; the price of input by default. */
  readonly cached?: number;
}

export interface Usage {
  /** All input tokens, cached ones included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  /** Absent when unknown, never zero instead. */
  readonly costUsd?: number;
}

export interface AgentResult {
  readonly ok: boolean;
  readonly failure?: AgentFailure;
  /** Why it failed, as a sentence for users. */
  readonly reason?: string;
  readonly blockedBy?: Blocker;
  /** Actions it was not allowed, each with the setting that allows it. The agent may have found another way. */
  readonly refused?: readonly string[];
  readonly exitCode: number | null;
  /** The agent's own final message, plain and bounded. A claim, never a verdict. */
  readonly message: string;
  readonly usage: Usage;
  readonly model?: string;
  readonly sessionId?: string;
  readonly durationMs: number;
  /** With `rate-limited`: how long to wait, if the agent said so. */
  readonly retryAfterMs?: number;
  /** Processes the agent left running; they were killed. */
  readonly leftBehind: readonly string[];
}

export type AgentEvent =
  | { readonly type: "activity"; readonly text: string }
  /**
   * The agent works in a session of its own, where nobody can wait for it. The run continues when it is driven again,
   * with an agent that knows the result; `until` is the latest time to check.
   */
  | { readonly type: "away"; readonly reason: string; readonly until?: string }
  | { readonly type: "finished"; readonly result: AgentResult };

/** Isolation tiers, weakest first; each includes the one before it. */
export const TIERS = ["basic", "contained", "strict"] as const;
export type Tier = (typeof TIERS)[number];

/** Isolation of the agent's processes; drivers pass it to the processes they start. */
export interface Isolation {
  /** basic: process group and environment allowlist. contained: also a PID namespace, our state hidden. strict: also writes in the workspace only. */
  readonly tier: Tier;
  /** The sandbox program; basic needs none. */
  readonly by?: "bwrap" | "srt";
  /** Why the tier is only basic. */
  readonly why?: string;
  readonly network: boolean;
  /** Folders the agent cannot see. */
  readonly hidden: readonly string[];
  /** With strict: writable folders besides the workspace. */
  readonly writable: readonly string[];
}

/** The part of the isolation that is recorded and shown to users: without the folders. */
export type Isolated = Pick<Isolation, "tier" | "by" | "why">;

export function shownIsolation({ tier, by, why }: Isolation): Isolated {
  return { tier, ...(by && { by }), ...(why !== undefined && { why }) };
}

export interface AgentRequest {
  readonly run: string;
  readonly iteration: number;
  readonly prompt: string;
  /** The workspace. */
  readonly dir: string;
  /** Folder, outside the workspace, for this iteration's prompt and full logs. */
  readonly files: string;
  readonly timeoutMs: number;
  readonly idleMs?: number;
  /** The agent's session to resume; absent: a new session. */
  readonly session?: string;
  /** Whether the agent may change files or only read them. Default: write. */
  readonly access?: "write" | "read";
  readonly isolation?: Isolation;
}

export interface Agent {
  readonly name: string;
  /** Whether the agent can resume a session. */
  readonly resumes?: boolean;
  /** Why the agent cannot work in this folder: no such program, no login. Checked before the baseline. */
  blocker?(dir: string): string | undefined;
  /**
   * Ends with exactly one `finished` or `away`. Never throws for what the agent did, and ends only when no process of
   * the agent is running any more. Aborting the signal ends the agent as `cancelled`.
   */
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
