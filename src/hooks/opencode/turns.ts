// Classifies idle events of opencode. It also sends one for an abort, two after an error, and one when an idle session is
// aborted: none of these may count as a turn without output.
import type { SessionLoop } from "#spec/session";
import type { Message } from "./client.ts";

export type Idle =
  /** A turn has ended. */
  | "turn"
  /** The user aborted while opencode waited for a retry, which sends no error event. */
  | "aborted"
  /** The turn stopped early: its last step requested tools, and the user refused permission. */
  | "refused"
  /** Not the end of a turn. */
  | "stray";

export interface Turns {
  /** Records a session that this process created: it has no loop until one is started here. */
  created(session: string): void;
  started(session: string): Promise<void>;
  /** Records opencode's status event. */
  status(session: string, type: string): void;
  idle(session: string): Promise<Idle>;
  find(session: string): Promise<SessionLoop | undefined>;
  /** False for sessions that certainly have no loop. */
  mayLoop(session: string): boolean;
}

export interface TurnsOptions {
  readonly find: Turns["find"];
  readonly messages: (session: string) => Promise<readonly Message[]>;
}

/** The assistant's last answer, without summaries of the conversation. */
function lastAnswer(messages: readonly Message[]): Message["info"] | undefined {
  return messages.findLast(({ info }) => info.role === "assistant" && info.summary !== true)?.info;
}

function isComplete({ time, finish, error }: Message["info"]): boolean {
  return time?.completed !== undefined && finish !== undefined && (error ?? undefined) === undefined;
}

export function turns({ find: lookUp, messages }: TurnsOptions): Turns {
  /** Last processed answer of each session with a loop; null for a session without one, which caches the lookup. */
  const lastProcessed = new Map<string, { readonly answer: string | undefined } | null>();
  const retrying = new Set<string>();
  const markProcessed = (session: string, answer: string | undefined) =>
    void lastProcessed.set(session, { answer });

  const find: Turns["find"] = async (session) => {
    const before = lastProcessed.get(session);
    const loop = await lookUp(session);
    // Unless a loop was started in the meantime.
    if (!loop && lastProcessed.get(session) === before) lastProcessed.set(session, null);
    return loop;
  };

  /** After a restart: answers before the current iteration count as processed. */
  const restoreProcessed = async (session: string, all: readonly Message[]): Promise<void> => {
    const loop = lastProcessed.has(session) ? undefined : await find(session);
    if (loop && !lastProcessed.has(session)) markProcessed(session, lastAnswer(all.slice(0, loop.mark))?.id);
  };

  return {
    created: (session) => {
      // Events may arrive late, after a loop was started.
      if (!lastProcessed.has(session)) lastProcessed.set(session, null);
    },
    started: async (session) => markProcessed(session, lastAnswer(await messages(session))?.id),
    find,
    mayLoop: (session) => lastProcessed.get(session) !== null,
    status: (session, type) => {
      if (type === "retry") retrying.add(session);
      else if (type !== "idle") retrying.delete(session);
    },
    idle: async (session) => {
      if (lastProcessed.get(session) === null) return "stray";
      if (retrying.delete(session)) return "aborted";
      const all = await messages(session);
      await restoreProcessed(session, all);
      const entry = lastProcessed.get(session);
      const answer = lastAnswer(all);
      if (!entry || !answer || answer.id === entry.answer || !isComplete(answer)) return "stray";
      markProcessed(session, answer.id);
      return answer.finish === "tool-calls" ? "refused" : "turn";
    },
  };
}
