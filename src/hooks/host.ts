// What a program that keeps sessions gives to a session loop, and what it gets from it.
import type { Usage } from "#spec/agent";
import type { Sessions } from "#spec/session";
import type { Toast } from "./toast.ts";

export interface SessionMessage {
  readonly role?: string;
  readonly content?: string;
  /** What it cost, and who wrote it, when the host knows. */
  readonly usage?: Usage;
  readonly model?: string;
}

export interface SessionLoopConfig {
  readonly enabled: boolean;
  readonly defaultMaxIterations?: number;
  readonly defaultCompletionPromise?: string;
  /** Milliseconds before the session is told to go on. */
  readonly continuationDelay: number;
}

export interface SessionLoopOptions {
  readonly sessions: Sessions;
  /** The program that keeps the sessions. */
  readonly host?: string;
  readonly workdir: string;
  readonly config?: Partial<SessionLoopConfig>;
  readonly getMessages?: (sessionId: string) => Promise<readonly SessionMessage[]>;
  /** May resolve as soon as the session has the prompt, or when its turn is over. */
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
  /** The run that it is kept as: `converge show RUN`. */
  readonly run: string;
  /** What the session is told in this iteration. */
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
  /** None of these throws: what goes wrong is told in a toast, and the session is left alone. */
  handler(event: SessionEvent): Promise<void>;
  /** False when it could not be started. */
  startLoop(sessionId: string, prompt: string, options?: StartLoopOptions): Promise<boolean>;
  cancelLoop(sessionId: string, reason?: string): Promise<boolean>;
  /** Without a session: of any that has a loop. */
  getState(sessionId?: string): Promise<SessionLoopState | null>;
  isLoopActive(sessionId: string): Promise<boolean>;
}
