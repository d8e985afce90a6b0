// The Ralph loop inside an interactive session, whoever keeps the session: the host's events go in, prompts and toasts
// come out. What the loop is and where it stands is kept by `sessions`; here is only what lives as long as the host.
import { UsageError } from "#spec/errors";
import type { SessionKey, SessionLoop, TurnAnswer } from "#spec/session";
import { errorIn, messageOf } from "./errors.ts";
import type {
  SessionLoopHook,
  SessionLoopOptions,
  SessionLoopState,
  SessionMessage,
  StartLoopOptions,
} from "./host.ts";
import { answersSince, hasUserMessageSince } from "./messages.ts";
import { answerToast, cancelToast, problemToast, startToast, type Toast } from "./toast.ts";

export type * from "./host.ts";

const ABORTS = ["MessageAbortedError", "AbortError"];

function stateOf(loop: SessionLoop): SessionLoopState {
  const { iteration, maxIterations, promise, startedAt, lastIterationAt, prompt, session, run, words } = loop;
  return {
    active: true,
    iteration,
    maxIterations,
    completionPromise: promise,
    startedAt,
    lastIterationAt,
    prompt,
    sessionId: session,
    ...(loop.description !== undefined && { description: loop.description }),
    run,
    words,
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Tells the session. It is the last thing that is done about an event, and what comes meanwhile is about the next turn. */
type Injection = () => Promise<void>;

/** A session that waits until an error is over; `from` is how much of the conversation there was then, if known. */
interface Recovery {
  readonly timer?: ReturnType<typeof setTimeout>;
  readonly from?: number;
}

export function sessionLoop(options: SessionLoopOptions): SessionLoopHook {
  const { sessions, host = "session", workdir, checkSessionExists } = options;
  const { enabled = true, continuationDelay = 500, ...defaults } = options.config ?? {};
  const { getMessages = async () => [], injectPrompt = async () => {}, showToast = () => {} } = options;
  /** What is being done about a session's events; an idle event that comes meanwhile is about the same turn. */
  const under = new Map<string, Promise<void>>();
  const recovering = new Map<string, Recovery>();
  /** The iteration that a session was last told of by us. */
  const told = new Map<string, number>();
  /** Sessions with an idle event since then that was about nothing. */
  const late = new Set<string>();
  /** Sessions whose loop is being cancelled: nothing is told to them any more. */
  const leaving = new Set<string>();
  /** Runs that were cancelled here, which nobody has to be told of again. */
  const cancelled = new Set<string>();
  const keyOf = (session: string): SessionKey => ({ host, session });

  // A host that cannot show something is not to suffer from it either.
  const toast = (shown: Toast): void => void (async () => showToast(shown))().catch(() => {});

  /** The host must not suffer from a fault of ours: it is told, and the session is left alone. */
  const safely = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      toast(problemToast(`${messageOf(error)}; the session was left alone`));
      return otherwise;
    }
  };

  const settle = (session: string): void => {
    clearTimeout(recovering.get(session)?.timer);
    recovering.delete(session);
    told.delete(session);
    late.delete(session);
  };

  /** One at a time for each session; the injection comes after, since it may last as long as the turn does. */
  const inTurn = async (session: string, work: () => Promise<Injection | undefined>): Promise<void> => {
    const before = under.get(session);
    let injection: Injection | undefined;
    const done = (async () => {
      await before;
      injection = await safely(work, undefined);
    })();
    under.set(session, done);
    await done;
    if (under.get(session) === done) under.delete(session);
    await injection?.();
  };

  const cancel = async (session: string, reason: string): Promise<boolean> => {
    settle(session);
    leaving.add(session);
    try {
      const ended = await sessions.cancel(keyOf(session), reason);
      if (!ended) return false;
      cancelled.add(ended.run);
      toast(cancelToast(ended, reason));
      return true;
    } finally {
      leaving.delete(session);
    }
  };

  /** If the loop is still wanted, still where it was, and does not wait for an error to be over. */
  const injectionOf = async (loop: SessionLoop): Promise<Injection | undefined> => {
    const { session, run, iteration, words } = loop;
    const now = await sessions.find(keyOf(session));
    const isWanted = () => !leaving.has(session) && !cancelled.has(run) && !recovering.has(session);
    if (now?.run !== run || now.iteration !== iteration || now.ended || !isWanted()) return undefined;
    return async () => {
      if (!isWanted()) return;
      told.set(session, iteration);
      try {
        await injectPrompt(session, words);
      } catch (error) {
        const reason = `the session could not be told to go on: ${messageOf(error)}`;
        recovering.set(session, {});
        await inTurn(session, () => breakOff(session, reason, run));
      }
    };
  };

  const act = async (answer: TurnAnswer): Promise<Injection | undefined> => {
    const shown = answer.type === "ended" && cancelled.has(answer.loop.run) ? undefined : answerToast(answer);
    if (shown) toast(shown);
    if (answer.type === "later") wakeAt(answer.until, answer.loop.session);
    if (answer.type !== "go-on") return undefined;
    await pause(continuationDelay);
    return injectionOf(answer.loop);
  };

  const listen = async ({ iteration, mark, session }: SessionLoop, messages: readonly SessionMessage[]) => {
    const turn = { iteration, ...answersSince(messages, mark), mark: messages.length };
    // Until it is answered nobody knows what the session has been told.
    told.delete(session);
    return act(await sessions.turn(keyOf(session), turn));
  };

  const wakeAt = (until: string, session: string): void => {
    const { from } = recovering.get(session) ?? {};
    const wake = () => void inTurn(session, () => resume(session, from));
    const timer = setTimeout(wake, Math.max(0, Date.parse(until) - Date.now()));
    // A host that wants to leave does not wait for us.
    timer.unref?.();
    recovering.set(session, { timer, ...(from !== undefined && { from }) });
  };

  /** After an error the session is told again, unless somebody goes on with it: then its idle event is waited for. */
  const resume = async (session: string, from: number | undefined): Promise<Injection | undefined> => {
    recovering.delete(session);
    const loop = await sessions.find(keyOf(session));
    if (!loop) return undefined;
    if (loop.ended) return listen(loop, []);
    const isTaken = from !== undefined && hasUserMessageSince(await getMessages(session), from);
    return isTaken ? undefined : injectionOf(loop);
  };

  const onIdle = async (session: string): Promise<Injection | undefined> => {
    const loop = await sessions.find(keyOf(session));
    if (!loop) return clearOrphans();
    const messages = await getMessages(session);
    const recovery = recovering.get(session);
    // The idle events after an error are about the turn that broke off; they are not lost, they are waited out.
    if (recovery && (recovery.from === undefined || !hasUserMessageSince(messages, recovery.from)))
      return undefined;
    // An idle event that comes late: nothing has happened since the session was told. A second one is a turn without a word.
    const isNews = messages.length !== loop.mark || told.get(session) !== loop.iteration || loop.ended;
    if (options.getMessages && !isNews && !late.has(session)) return void late.add(session);
    settle(session);
    return listen(loop, messages);
  };

  /** The turn does not count; it is tried again a little later. */
  const breakOff = async (session: string, error: string, run?: string): Promise<Injection | undefined> => {
    const loop = await sessions.find(keyOf(session)).catch((fault) => {
      recovering.delete(session);
      throw fault;
    });
    if (!loop || (run !== undefined && loop.run !== run)) return void recovering.delete(session);
    const from = await getMessages(session).then(
      ({ length }) => length,
      () => undefined,
    );
    recovering.set(session, from === undefined ? {} : { from });
    const turn = { iteration: loop.iteration, message: "", error, ...(from !== undefined && { mark: from }) };
    try {
      const answer = await sessions.turn(keyOf(session), turn);
      if (answer.type !== "later") recovering.delete(session);
      return await act(answer);
    } catch (fault) {
      recovering.delete(session);
      throw fault;
    }
  };

  const clearOrphans = async (): Promise<undefined> => {
    if (!checkSessionExists) return;
    for (const { session } of await sessions.list(host, workdir)) {
      // Not knowing is no reason to end a loop.
      const exists = await (async () => checkSessionExists(session))().catch(() => true);
      if (!exists) await cancel(session, "its session is gone");
    }
  };

  const heard: Readonly<Record<string, (session: string, data: unknown) => Promise<unknown>>> = {
    "session.idle": async (session) => {
      if (!under.has(session)) await inTurn(session, () => onIdle(session));
    },
    "session.error": async (session, data) => {
      const { name, message } = errorIn(data);
      if (ABORTS.includes(name)) return cancel(session, "the turn was aborted");
      if (recovering.has(session)) return;
      // At once, before anything is waited for: the idle event comes right behind.
      recovering.set(session, {});
      await inTurn(session, () => breakOff(session, message));
    },
    "session.deleted": (session, data) => {
      const gone = (data as { sessionId?: unknown } | undefined)?.sessionId;
      return cancel(typeof gone === "string" ? gone : session, "the session was deleted");
    },
  };

  const start = async (session: string, prompt: string, wish: StartLoopOptions): Promise<true> => {
    const maxIterations = wish.maxIterations ?? defaults.defaultMaxIterations;
    const promise = wish.completionPromise ?? defaults.defaultCompletionPromise;
    const loop = await sessions.start(keyOf(session), {
      prompt,
      dir: workdir,
      mark: (await getMessages(session)).length,
      ...(maxIterations !== undefined && { maxIterations }),
      ...(promise !== undefined && { promise }),
      ...(wish.gates && { gates: wish.gates }),
      ...(wish.description !== undefined && { description: wish.description }),
    });
    settle(session);
    told.set(session, loop.iteration);
    toast(startToast(loop));
    return true;
  };

  const find = async (session?: string): Promise<SessionLoop | undefined> => {
    const keys = session === undefined ? await sessions.list(host, workdir) : [keyOf(session)];
    const loops = await Promise.all(keys.map((key) => sessions.find(key)));
    return loops.find((loop) => loop && !loop.ended);
  };

  return {
    name: "converge-session-loop",
    description: "Goes on with a session until its promise and its gates hold",
    events: Object.keys(heard),
    startLoop: async (session, prompt, wish = {}) => {
      if (!enabled) return false;
      try {
        return await start(session, prompt, wish);
      } catch (error) {
        const { message } = error as Error;
        toast(problemToast(error instanceof UsageError ? message : `no loop was started: ${message}`));
        return false;
      }
    },
    cancelLoop: (session, reason = "cancelled by a person") => safely(() => cancel(session, reason), false),
    getState: (session) =>
      safely(async () => {
        const loop = await find(session);
        return loop ? stateOf(loop) : null;
      }, null),
    isLoopActive: (session) => safely(async () => (await find(session)) !== undefined, false),
    handler: async ({ event, sessionId, data }) => {
      const hear = enabled && Object.hasOwn(heard, event) ? heard[event] : undefined;
      await safely(async () => hear?.(sessionId, data), undefined);
    },
  };
}
