// The Ralph loop inside an interactive session, whoever keeps the session: the host's events go in, prompts and toasts
// come out. What the loop is and where it stands is kept by `sessions`; here is only what lives as long as the host.
import type { Usage } from "#spec/agent";
import { UsageError } from "#spec/errors";
import type { SessionKey, SessionLoop, Sessions, TurnAnswer } from "#spec/session";
import { spentIn } from "./spent.ts";
import { answerToast, cancelToast, problemToast, startToast, type Toast } from "./toast.ts";

export interface SessionLoopConfig {
  readonly enabled: boolean;
  readonly defaultMaxIterations?: number;
  readonly defaultCompletionPromise?: string;
  /** Milliseconds before the session is told to go on. */
  readonly continuationDelay: number;
}

export interface SessionMessage {
  readonly role?: string;
  readonly content?: string;
  /** What it cost, and who wrote it, when the host knows. */
  readonly usage?: Usage;
  readonly model?: string;
}

export interface SessionLoopOptions {
  readonly sessions: Sessions;
  /** The program that keeps the sessions. */
  readonly host?: string;
  readonly workdir: string;
  readonly config?: Partial<SessionLoopConfig>;
  readonly getMessages?: (sessionId: string) => Promise<readonly SessionMessage[]>;
  readonly injectPrompt?: (sessionId: string, prompt: string) => Promise<void>;
  readonly showToast?: (toast: Toast) => void;
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
  handler(event: SessionEvent): Promise<void>;
  /** False when it could not be started; a toast says why. */
  startLoop(sessionId: string, prompt: string, options?: StartLoopOptions): Promise<boolean>;
  cancelLoop(sessionId: string, reason?: string): Promise<boolean>;
  /** Without a session: of any that has a loop. */
  getState(sessionId?: string): Promise<SessionLoopState | null>;
  isLoopActive(sessionId: string): Promise<boolean>;
}

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

/** What was said since; when the conversation has been cut, since the last word to the assistant. */
function since(messages: readonly SessionMessage[], mark: number): readonly SessionMessage[] {
  const lastAsked = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(messages.length < mark ? lastAsked + 1 : mark);
}

/** What the assistant itself said. */
function saidIn(messages: readonly SessionMessage[]): string {
  return messages
    .filter(({ role }) => role === "assistant")
    .map(({ content = "" }) => content)
    .join("\n\n");
}

function errorIn(data: unknown): { readonly name: string; readonly message: string } {
  const { error } = (data ?? {}) as {
    error?: { name?: unknown; message?: unknown; data?: { message?: unknown } };
  };
  const message = error?.data?.message ?? error?.message ?? error?.name ?? "an error that was not named";
  return { name: String(error?.name ?? ""), message: String(message) };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function sessionLoop(options: SessionLoopOptions): SessionLoopHook {
  const { sessions, host = "session", workdir, checkSessionExists } = options;
  const { enabled = true, continuationDelay = 500, ...defaults } = options.config ?? {};
  const { getMessages = async () => [], injectPrompt = async () => {}, showToast = () => {} } = options;
  /** What is being done about a session's events; an idle event that comes meanwhile is about the same turn. */
  const under = new Map<string, Promise<void>>();
  /** Sessions that wait until an error is over, and what wakes them. */
  const recovering = new Map<string, ReturnType<typeof setTimeout> | undefined>();
  /** Iterations that a session could not be told of. */
  const untold = new Map<string, number>();
  const existing = new Set<string>();
  const keyOf = (session: string): SessionKey => ({ host, session });

  const settle = (session: string) => {
    clearTimeout(recovering.get(session));
    recovering.delete(session);
    untold.delete(session);
  };

  /** The host must not suffer from a fault of ours: it is told, and the session stops. */
  const safely = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      showToast(problemToast(`${(error as Error).message}; the session was left alone`));
    }
  };

  const inTurn = (session: string, work: () => Promise<void>): Promise<void> => {
    const done = (under.get(session) ?? Promise.resolve()).then(() => safely(work));
    under.set(session, done);
    return done.then(() => {
      if (under.get(session) === done) under.delete(session);
    });
  };

  const cancel = async (session: string, reason: string): Promise<boolean> => {
    settle(session);
    const ended = await sessions.cancel(keyOf(session), reason);
    if (ended) showToast(cancelToast(ended, reason));
    return ended !== undefined;
  };

  /** Tells the session, if the loop is still wanted and still where it was. */
  const tell = async ({ session, run, iteration, words }: SessionLoop): Promise<void> => {
    const now = await sessions.find(keyOf(session));
    if (now?.run !== run || now.iteration !== iteration) return;
    try {
      await injectPrompt(session, words);
      untold.delete(session);
    } catch (error) {
      untold.set(session, iteration);
      const reason = `the session could not be told to go on: ${(error as Error).message}`;
      await act(await sessions.turn(keyOf(session), { iteration, message: "", error: reason }));
    }
  };

  const act = async (answer: TurnAnswer): Promise<void> => {
    const toast = answerToast(answer);
    if (toast) showToast(toast);
    if (answer.type === "go-on") {
      await pause(continuationDelay);
      await tell(answer.loop);
    }
    if (answer.type === "later") wakeAt(answer.until, answer.loop.session);
  };

  const wakeAt = (until: string, session: string): void => {
    clearTimeout(recovering.get(session));
    const wake = () => {
      recovering.delete(session);
      void inTurn(session, () => resume(session));
    };
    recovering.set(session, setTimeout(wake, Math.max(0, Date.parse(until) - Date.now())));
  };

  const listen = async (loop: SessionLoop): Promise<void> => {
    const messages = await getMessages(loop.session);
    const { iteration, mark, session } = loop;
    const said = since(messages, mark);
    const turn = { iteration, message: saidIn(said), mark: messages.length, ...spentIn(said) };
    await act(await sessions.turn(keyOf(session), turn));
  };

  /** After an error: a session that has gone on by itself is listened to, any other is told again. */
  const resume = async (session: string): Promise<void> => {
    const loop = await sessions.find(keyOf(session));
    if (!loop) return;
    const said = saidIn(since(await getMessages(session), loop.mark));
    await (said.trim() === "" || untold.get(session) === loop.iteration ? tell(loop) : listen(loop));
  };

  const onIdle = async (session: string): Promise<void> => {
    const loop = await sessions.find(keyOf(session));
    if (!loop) return clearOrphans();
    await (untold.get(session) === loop.iteration ? tell(loop) : listen(loop));
  };

  const onError = async (session: string, error: string): Promise<void> => {
    const loop = await sessions.find(keyOf(session));
    if (!loop) return void recovering.delete(session);
    const turn = { iteration: loop.iteration, message: "", error };
    const answer = await sessions.turn(keyOf(session), turn);
    if (answer.type !== "later") recovering.delete(session);
    await act(answer);
  };

  const heard: Readonly<Record<string, (session: string, data: unknown) => Promise<void>>> = {
    // The idle event after an error is about the turn that broke off; it is not lost, it is waited out.
    "session.idle": async (session) => {
      if (!under.has(session) && !recovering.has(session)) await inTurn(session, () => onIdle(session));
    },
    "session.error": async (session, data) => {
      const { name, message } = errorIn(data);
      if (ABORTS.includes(name)) return safely(() => cancel(session, "the turn was aborted"));
      if (recovering.has(session)) return;
      // At once, before anything is waited for: the idle event comes right behind.
      recovering.set(session, undefined);
      await inTurn(session, () => onError(session, message));
    },
    "session.deleted": (session, data) => {
      const gone = (data as { sessionId?: string } | undefined)?.sessionId ?? session;
      return safely(() => cancel(gone, "the session was deleted"));
    },
  };

  const clearOrphans = async (): Promise<void> => {
    if (!checkSessionExists) return;
    for (const { session } of await sessions.list(host)) {
      if (existing.has(session)) continue;
      // Not knowing is no reason to end a loop.
      if (await checkSessionExists(session).catch(() => true)) existing.add(session);
      else await cancel(session, "its session is gone");
    }
  };

  const startLoop: SessionLoopHook["startLoop"] = async (session, prompt, wish = {}) => {
    if (!enabled) return false;
    const maxIterations = wish.maxIterations ?? defaults.defaultMaxIterations;
    const promise = wish.completionPromise ?? defaults.defaultCompletionPromise;
    try {
      settle(session);
      const loop = await sessions.start(keyOf(session), {
        prompt,
        dir: workdir,
        mark: (await getMessages(session)).length,
        ...(maxIterations !== undefined && { maxIterations }),
        ...(promise !== undefined && { promise }),
        ...(wish.gates && { gates: wish.gates }),
        ...(wish.description !== undefined && { description: wish.description }),
      });
      showToast(startToast(loop));
      return true;
    } catch (error) {
      const known = error instanceof UsageError || (error as Error).name === "ConfigError";
      showToast(
        problemToast(known ? (error as Error).message : `no loop was started: ${(error as Error).message}`),
      );
      return false;
    }
  };

  return {
    name: "converge-session-loop",
    description: "Goes on with a session until its promise and its gates hold",
    events: Object.keys(heard),
    startLoop,
    cancelLoop: (session, reason = "cancelled by a person") => cancel(session, reason),
    getState: async (session) => {
      const [any] = session === undefined ? await sessions.list(host) : [keyOf(session)];
      const loop = any && (await sessions.find(any));
      return loop ? stateOf(loop) : null;
    },
    isLoopActive: async (session) => (await sessions.find(keyOf(session))) !== undefined,
    handler: async ({ event, sessionId, data }) => {
      if (enabled) await heard[event]?.(sessionId, data);
    },
  };
}
