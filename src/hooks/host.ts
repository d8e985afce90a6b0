// Types between a session loop and the host program that keeps the sessions.
import type { Usage } from "#spec/agent";
import type { Sessions } from "#spec/session";
import type { Toast } from "./toast.ts";

export interface SessionMessage {
  readonly role?: string;
  readonly content?: string;
  /** Usage and model, when the host knows them. */
  readonly usage?: Usage;
  readonly model?: string;
}

export interface SessionLoopConfig {
  readonly enabled: boolean;
  readonly defaultMaxIterations?: number;
  readonly defaultCompletionPromise?: string;
  /** Delay in milliseconds before the session is prompted to continue. */
  readonly continuationDelay: number;
}

export interface SessionLoopOptions {
  readonly sessions: Sessions;
  /** The program that keeps the sessions. */
  readonly host?: string;
  readonly workdir: string;
  readonly config?: Partial<SessionLoopConfig>;
  readonly getMessages?: (sessionId: string) => Promise<readonly SessionMessage[]>;
  /** May resolve when the session has received the prompt, or when its turn is over. */
  readonly injectPrompt?: (sessionId: string, prompt: string) => Promise<void>;
  readonly showToast?: (toast: Toast) => void | Promise<void>;
  readonly checkSessionExists?: (sessionId: string) => Promise<boolean>;
}

export interface StartLoopOptions {
  readonly maxIterations?: number;
  readonly completionPromise?: string;
  readonly description?: string;
  readonly gates?: readonly string[];
}

export interface SessionLoopState {
  readonly active: boolean;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly completionPromise: string;
  readonly startedAt: string;
  readonly lastIterationAt: string;
  readonly prompt: string;
  readonly sessionId: string;
  readonly description?: string;
  /** Id of its run: `converge show RUN`. */
  readonly run: string;
  /** The prompt of this iteration. */
  readonly words: string;
}

export interface SessionEvent {
  readonly event: string;
  readonly sessionId: string;
  readonly data?: unknown;
}

export interface SessionLoopHook {
  readonly name: string;
  readonly description: string;
  readonly events: readonly string[];
  /** None of these methods throws: errors are shown in a toast, and the session is left alone. */
  handler(event: SessionEvent): Promise<void>;
  /** False when the loop could not be started. */
  startLoop(sessionId: string, prompt: string, options?: StartLoopOptions): Promise<boolean>;
  cancelLoop(sessionId: string, reason?: string): Promise<boolean>;
  /** Without a session id, returns the state of any session with a loop. */
  getState(sessionId?: string): Promise<SessionLoopState | null>;
  isLoopActive(sessionId: string): Promise<boolean>;
}
