// Port of session loops: runs whose agent is a conversation in another program, one turn at a time.
import type { Usage } from "./agent.ts";
import type { Outcome } from "./event.ts";

/** Identifies a conversation: the host program and its session id. */
export interface SessionKey {
  readonly host: string;
  readonly session: string;
}

/** Request to start a loop in a session. */
export interface SessionWish {
  readonly prompt: string;
  /** The session's working folder. */
  readonly dir: string;
  readonly maxIterations?: number;
  readonly promise?: string;
  /** Commands that must pass too; absent: the gates of the folder's task file, if any. */
  readonly gates?: readonly string[];
  /** Length of the conversation so far, in the host's own unit. */
  readonly mark?: number;
  /** A name shown to users. */
  readonly description?: string;
}

export interface SessionLoop extends SessionKey {
  /** The run that records the loop. */
  readonly run: string;
  readonly prompt: string;
  readonly description?: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly promise: string;
  /** Names of the gates. */
  readonly gates: readonly string[];
  readonly startedAt: string;
  /** When the session received this iteration. */
  readonly lastIterationAt: string;
  /** The whole prompt of this iteration, to be sent to the session. */
  readonly words: string;
  /** Length of the conversation when the session last got a prompt, or its turn was interrupted. */
  readonly mark: number;
  /** Set when the loop was ended from outside before the session knows: its next turn is answered `ended`. */
  readonly ended?: { readonly outcome: Outcome; readonly reason: string };
}

/** A completed turn of the session. */
export interface Turn {
  /** The turn's iteration; a turn of another iteration is ignored. */
  readonly iteration: number;
  /** The assistant's own text, without tool output. */
  readonly message: string;
  /** Current length of the conversation. */
  readonly mark?: number;
  readonly usage?: Usage;
  readonly model?: string;
  /** What interrupted the turn. It does not use up the iteration, which is retried a little later. */
  readonly error?: string;
}

export type TurnAnswer =
  /** Send `loop.words` to the session. */
  | { readonly type: "go-on"; readonly loop: SessionLoop }
  /** Send the same words again at `until`. */
  | { readonly type: "later"; readonly loop: SessionLoop; readonly until: string; readonly reason: string }
  /** The loop waits for a person or is paused: the session may stop, and the loop continues after its next turn. */
  | { readonly type: "rest"; readonly loop: SessionLoop; readonly reason: string }
  | {
      readonly type: "ended";
      readonly loop: SessionLoop;
      readonly outcome: Outcome;
      readonly reason: string;
    }
  /** There is no loop, or the turn was answered already. */
  | { readonly type: "none" };

export interface Sessions {
  /** Starts a loop and replaces the session's previous one. Throws UsageError for an invalid request. */
  start(key: SessionKey, wish: SessionWish): Promise<SessionLoop>;
  find(key: SessionKey): Promise<SessionLoop | undefined>;
  turn(key: SessionKey, turn: Turn): Promise<TurnAnswer>;
  /** Returns the cancelled loop; undefined when there was none. */
  cancel(key: SessionKey, reason: string): Promise<SessionLoop | undefined>;
  /** The host's sessions with a loop; with `dir`, only in that folder. */
  list(host: string, dir?: string): Promise<readonly SessionKey[]>;
}
