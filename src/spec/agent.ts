// The port for one coding-agent CLI or protocol.

export type AgentFailure =
  | "not-found"
  | "crashed"
  | "timed-out"
  | "idle"
  | "rate-limited"
  | "blocked"
  | "cancelled";

export interface Usage {
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
  readonly exitCode: number | null;
  /** The agent's own final message, plain and bounded. A claim, never a verdict. */
  readonly message: string;
  readonly usage: Usage;
  readonly sessionId?: string;
  readonly durationMs: number;
  /** With `rate-limited`: how long to wait, when the agent said so. */
  readonly retryAfterMs?: number;
  /** Processes the agent left behind, which were ended. */
  readonly leftBehind: readonly string[];
}

export type AgentEvent =
  | { readonly type: "activity"; readonly text: string }
  | { readonly type: "finished"; readonly result: AgentResult };

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
}

export interface Agent {
  readonly name: string;
  /**
   * Ends with exactly one `finished`. Never throws for what the agent did, and resolves only when
   * nothing the agent started is running any more. Aborting the signal ends the agent as `cancelled`.
   */
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
