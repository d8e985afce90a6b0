// The port of session loops: a run whose agent is a conversation that another program keeps, one turn at a time.
import type { Usage } from "./agent.ts";
import type { Outcome } from "./event.ts";

/** Which conversation: the program that keeps it, and that program's own name for it. */
export interface SessionKey {
  readonly host: string;
  readonly session: string;
}

/** What is wanted of a session. */
export interface SessionWish {
  readonly prompt: string;
  /** The folder that the session works in. */
  readonly dir: string;
  readonly maxIterations?: number;
  readonly promise?: string;
  /** Commands that must pass besides; absent: the gates of the folder's task file, if it has one. */
  readonly gates?: readonly string[];
  /** How much of the conversation there is already, in whatever the host counts. */
  readonly mark?: number;
  /** A name for people. */
  readonly description?: string;
}

export interface SessionLoop extends SessionKey {
  /** The run that it is kept as. */
  readonly run: string;
  readonly prompt: string;
  readonly description?: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly promise: string;
  /** Names of the gates. */
  readonly gates: readonly string[];
  readonly startedAt: string;
  /** When the session was given this iteration. */
  readonly lastIterationAt: string;
  /** What the session is told: the whole prompt of this iteration. */
  readonly words: string;
  /** How much of the conversation there was when the session was last told, or its turn broke off. */
  readonly mark: number;
  /** It was ended from elsewhere, and the session does not know yet: its next turn is answered `ended`. */
  readonly ended?: { readonly outcome: Outcome; readonly reason: string };
}

/** A turn of the session that is over. */
export interface Turn {
  /** The iteration that it was about; a turn about another one is not heard. */
  readonly iteration: number;
  /** What the assistant said in it: text of its own, not what its tools printed. */
  readonly message: string;
  /** How much of the conversation there is now. */
  readonly mark?: number;
  readonly usage?: Usage;
  readonly model?: string;
  /** What broke the turn off. It does not use up the iteration, which is tried again a little later. */
  readonly error?: string;
}

export type TurnAnswer =
  /** Tell the session `loop.words`. */
  | { readonly type: "go-on"; readonly loop: SessionLoop }
  /** Tell it the same words again, at `until`. */
  | { readonly type: "later"; readonly loop: SessionLoop; readonly until: string; readonly reason: string }
  /** A person is asked, or has paused it: the session may stop, and the loop goes on after its next turn. */
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
  /** Begins a loop, in place of one that the session may have. Throws UsageError for a wish that cannot be met. */
  start(key: SessionKey, wish: SessionWish): Promise<SessionLoop>;
  find(key: SessionKey): Promise<SessionLoop | undefined>;
  turn(key: SessionKey, turn: Turn): Promise<TurnAnswer>;
  /** The loop that was ended; undefined when there was none. */
  cancel(key: SessionKey, reason: string): Promise<SessionLoop | undefined>;
  /** The sessions of this host that have a loop; with `dir`, in that folder. */
  list(host: string, dir?: string): Promise<readonly SessionKey[]>;
}
