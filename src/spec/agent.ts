// The port for one coding-agent CLI or protocol.

export type AgentFailure =
  | "not-found"
  | "crashed"
  | "timed-out"
  | "idle"
  | "rate-limited"
  | "context-too-long"
  | "blocked"
  | "cancelled";

/** What an agent that is blocked lacks: a login, leave to do something, or money. */
export type Blocker = "login" | "permission" | "quota";

/** Dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that was read from a cache; without it, as input. */
  readonly cached?: number;
}

export interface Usage {
  /** All of it, what was read from a cache included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  /** Unknown stays absent; it is never zero. */
  readonly costUsd?: number;
}

export interface AgentResult {
  readonly ok: boolean;
  readonly failure?: AgentFailure;
  /** Why it failed, in a sentence for people. */
  readonly reason?: string;
  readonly blockedBy?: Blocker;
  /** What it was not allowed to do, each with the setting that would allow it. It may have found another way. */
  readonly refused?: readonly string[];
  readonly exitCode: number | null;
  /** The agent's own final message, plain and bounded. A claim, never a verdict. */
  readonly message: string;
  readonly usage: Usage;
  readonly model?: string;
  readonly sessionId?: string;
  readonly durationMs: number;
  /** With `rate-limited`: how long to wait, when the agent said so. */
  readonly retryAfterMs?: number;
  /** Processes the agent left behind, which were ended. */
  readonly leftBehind: readonly string[];
}

export type AgentEvent =
  | { readonly type: "activity"; readonly text: string }
  /**
   * It works where nobody can wait for it, in a session of its own. The run goes on when it is driven again, with an
   * agent that knows what came of it; it is `until` then at the latest that somebody looks.
   */
  | { readonly type: "away"; readonly reason: string; readonly until?: string }
  | { readonly type: "finished"; readonly result: AgentResult };

/** How far an agent is shut off from the machine, weakest first; each tier has what the one before it has. */
export const TIERS = ["basic", "contained", "strict"] as const;
export type Tier = (typeof TIERS)[number];

/** How the agent's processes are shut off; drivers hand it on to the processes that they start. */
export interface Isolation {
  /** basic: a process group, a list of allowed variables. contained: processes of its own, our state out of sight. strict: writes in the workspace alone. */
  readonly tier: Tier;
  /** The program that does it; basic needs none. */
  readonly by?: "bwrap" | "srt";
  /** Why it is no more than basic. */
  readonly why?: string;
  readonly network: boolean;
  /** Folders that the agent does not see. */
  readonly hidden: readonly string[];
  /** With strict: folders besides the workspace that may be written. */
  readonly writable: readonly string[];
}

/** What is told of it. */
export type Isolated = Pick<Isolation, "tier" | "by" | "why">;

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
  /** The agent's own session to go on with; absent, it begins a new one. */
  readonly session?: string;
  /** May it change files, or only look? To change is the default. */
  readonly access?: "write" | "read";
  readonly isolation?: Isolation;
}

export interface Agent {
  readonly name: string;
  /** It can go on with a session of its own. */
  readonly resumes?: boolean;
  /** Why it certainly cannot work in this folder: no such program, no login. Asked before the baseline is judged. */
  blocker?(dir: string): string | undefined;
  /**
   * Ends with exactly one `finished` or `away`. Never throws for what the agent did, and resolves only when
   * nothing the agent started is running any more. Aborting the signal ends the agent as `cancelled`.
   */
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
