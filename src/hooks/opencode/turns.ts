// Which idle events of opencode end a turn. It also sends one for an abort, two after an error, and one when an idle
// session is aborted: none of these may be taken for a turn in which nothing was said.
import type { SessionLoop } from "#spec/session";
import type { Message } from "./client.ts";

export type Idle =
  /** A turn is over. */
  | "turn"
  /** The user broke it off while opencode waited to ask the model again: of that there is no error event. */
  | "aborted"
  /** It ended in the middle of its work: its last step asked for tools, and the user did not allow them. */
  | "refused"
  /** Nothing that is ours. */
  | "stray";

export interface Turns {
  /** A session that this process has made has no loop until one is started here. */
  created(session: string): void;
  started(session: string): Promise<void>;
  /** What opencode says it does now. */
  status(session: string, type: string): void;
  idle(session: string): Promise<Idle>;
  find(session: string): Promise<SessionLoop | undefined>;
  /** False for sessions that are known to have no loop. */
  mayLoop(session: string): boolean;
}

export interface TurnsOptions {
  readonly find: Turns["find"];
  readonly messages: (session: string) => Promise<readonly Message[]>;
}

/** The last thing the assistant said; what sums up the conversation is not said to anybody. */
function lastAnswer(messages: readonly Message[]): Message["info"] | undefined {
  return messages.findLast(({ info }) => info.role === "assistant" && info.summary !== true)?.info;
}

function isComplete({ time, finish, error }: Message["info"]): boolean {
  return time?.completed !== undefined && finish !== undefined && (error ?? undefined) === undefined;
}

export function turns({ find: ask, messages }: TurnsOptions): Turns {
  /** The answer that was heard last in a session with a loop; null for one without, which is asked about only once. */
  const heard = new Map<string, { readonly answer: string | undefined } | null>();
  const retrying = new Set<string>();
  const hear = (session: string, answer: string | undefined) => void heard.set(session, { answer });

  const find: Turns["find"] = async (session) => {
    const before = heard.get(session);
    const loop = await ask(session);
    // Unless one was started meanwhile.
    if (!loop && heard.get(session) === before) heard.set(session, null);
    return loop;
  };

  /** After a restart: what came before the current iteration has been heard. */
  const remember = async (session: string, all: readonly Message[]): Promise<void> => {
    const loop = heard.has(session) ? undefined : await find(session);
    if (loop && !heard.has(session)) hear(session, lastAnswer(all.slice(0, loop.mark))?.id);
  };

  return {
    created: (session) => {
      // Events may come late: a loop may have been started by now.
      if (!heard.has(session)) heard.set(session, null);
    },
    started: async (session) => hear(session, lastAnswer(await messages(session))?.id),
    find,
    mayLoop: (session) => heard.get(session) !== null,
    status: (session, type) => {
      if (type === "retry") retrying.add(session);
      else if (type !== "idle") retrying.delete(session);
    },
    idle: async (session) => {
      if (heard.get(session) === null) return "stray";
      if (retrying.delete(session)) return "aborted";
      const all = await messages(session);
      await remember(session, all);
      const known = heard.get(session);
      const answer = lastAnswer(all);
      if (!known || !answer || answer.id === known.answer || !isComplete(answer)) return "stray";
      hear(session, answer.id);
      return answer.finish === "tool-calls" ? "refused" : "turn";
    },
  };
}
