// Handles the events of sessions with a loop: reports turns to `sessions`, prompts the session to continue, and retries
// after errors. `sessions` stores the loop itself.
import type { SessionKey, SessionLoop, SessionWish, TurnAnswer } from "#spec/session";
import { oneLine } from "#text/plain-text";
import { answersSince, hasUserMessageSince } from "./answers-since.ts";
import type { SessionLoopOptions, SessionMessage } from "./host.ts";
import { LiveSessions } from "./live-sessions.ts";
import { answerToast, cancelToast, problemToast, startToast, type Toast } from "./toast.ts";

export const EVENTS = ["session.idle", "session.error", "session.deleted"] as const;

const ABORTS = ["MessageAbortedError", "AbortError"];

/** Sends the prompt. Runs after the event is handled: events that arrive meanwhile belong to the next turn. */
type Injection = () => Promise<void>;

/** The injection that follows an event, if any. */
type Followup = Promise<Injection | undefined>;

interface EventHandlerOptions extends Omit<SessionLoopOptions, "host" | "config"> {
  readonly host: string;
  readonly continuationDelay: number;
}

const ERROR_CHARS = 300;

const text = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? oneLine(value, ERROR_CHARS) : undefined;

/** Reads name and message from a host's error event. */
function errorIn(data: unknown): { readonly name: string; readonly message: string } {
  type Given = { error?: { name?: unknown; message?: unknown; data?: { message?: unknown } | null } | null };
  const error = (data as Given | undefined)?.error;
  const name = text(error?.name) ?? "";
  return {
    name,
    message: text(error?.data?.message) ?? text(error?.message) ?? (name || "an unnamed error"),
  };
}

const messageOf = (error: unknown) =>
  oneLine(error instanceof Error ? error.message : String(error), ERROR_CHARS);

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class EventHandler {
  readonly #options: EventHandlerOptions;
  readonly #live = new LiveSessions();

  constructor(options: EventHandlerOptions) {
    this.#options = options;
  }

  async handle(event: string, session: string, data: unknown): Promise<void> {
    if (event === "session.idle") await this.#onIdleEvent(session);
    if (event === "session.error") await this.#onErrorEvent(session, data);
    if (event === "session.deleted") await this.#onDeletedEvent(session, data);
  }

  async start(session: string, wish: Omit<SessionWish, "dir" | "mark">): Promise<void> {
    const { sessions, workdir } = this.#options;
    const mark = (await this.#messages(session)).length;
    const loop = await sessions.start(this.#keyOf(session), { ...wish, dir: workdir, mark });
    this.#live.reset(session);
    this.#live.of(session).promptedIteration = loop.iteration;
    this.toast(startToast(loop));
  }

  async cancel(session: string, reason: string): Promise<boolean> {
    const live = this.#live.of(session);
    this.#live.reset(session);
    live.isCancelling = true;
    try {
      const ended = await this.#options.sessions.cancel(this.#keyOf(session), reason);
      if (!ended) return false;
      live.cancelledRuns.add(ended.run);
      this.toast(cancelToast(ended, reason));
      return true;
    } finally {
      live.isCancelling = false;
    }
  }

  /** The running loop of a session, or of any session of this host and folder. */
  async find(session?: string): Promise<SessionLoop | undefined> {
    const { sessions, host, workdir } = this.#options;
    const keys = session === undefined ? await sessions.list(host, workdir) : [this.#keyOf(session)];
    const loops = await Promise.all(keys.map((key) => sessions.find(key)));
    return loops.find((loop) => loop && !loop.ended);
  }

  /** Ignores errors of the host: a toast that cannot be shown must not break the session. */
  toast(toast: Toast): void {
    const show = async () => this.#options.showToast?.(toast);
    show().catch(() => {});
  }

  /** Never throws: shows an error in a toast and leaves the session alone. */
  async safely<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.toast(problemToast(`${messageOf(error)}; the session was left alone`));
      return otherwise;
    }
  }

  #keyOf(session: string): SessionKey {
    return { host: this.#options.host, session };
  }

  #find(session: string): Promise<SessionLoop | undefined> {
    return this.#options.sessions.find(this.#keyOf(session));
  }

  async #messages(session: string): Promise<readonly SessionMessage[]> {
    return this.#options.getMessages?.(session) ?? [];
  }

  async #onIdleEvent(session: string): Promise<void> {
    if (!this.#live.of(session).work) await this.#enqueue(session, () => this.#onIdle(session));
  }

  async #onErrorEvent(session: string, data: unknown): Promise<void> {
    const { name, message } = errorIn(data);
    if (ABORTS.includes(name)) {
      await this.cancel(session, "the turn was aborted");
      return;
    }
    const live = this.#live.of(session);
    if (live.recovery) return;
    // Set before the first await, because the idle event follows immediately.
    live.recovery = {};
    await this.#enqueue(session, () => this.#onFailedTurn(session, message));
  }

  async #onDeletedEvent(session: string, data: unknown): Promise<void> {
    const deleted = (data as { sessionId?: unknown } | undefined)?.sessionId;
    await this.cancel(typeof deleted === "string" ? deleted : session, "the session was deleted");
  }

  /** Handles one event of a session at a time. The injection comes last, because it may last as long as the turn. */
  async #enqueue(session: string, work: () => Followup): Promise<void> {
    const live = this.#live.of(session);
    const previous = live.work;
    let injection: Injection | undefined;
    const done = (async () => {
      await previous;
      injection = await this.safely(work, undefined);
    })();
    live.work = done;
    await done;
    if (live.work === done) live.work = undefined;
    await injection?.();
  }

  async #onIdle(session: string): Followup {
    const loop = await this.#find(session);
    if (!loop) return this.#cancelOrphans();
    const messages = await this.#messages(session);
    const live = this.#live.of(session);
    const { recovery } = live;
    // Idle events after an error belong to the failed turn; the recovery ends by its timer or by a user message.
    if (recovery && (recovery.from === undefined || !hasUserMessageSince(messages, recovery.from)))
      return undefined;
    // A late idle event: nothing has happened since the prompt. A second one is a turn without output.
    const isNews = messages.length !== loop.mark || live.promptedIteration !== loop.iteration || loop.ended;
    if (this.#options.getMessages && !isNews && !live.hasLateIdle) {
      live.hasLateIdle = true;
      return undefined;
    }
    this.#live.reset(session);
    return this.#reportTurn(loop, messages);
  }

  async #reportTurn(
    { iteration, mark, session }: SessionLoop,
    messages: readonly SessionMessage[],
  ): Followup {
    const turn = { iteration, ...answersSince(messages, mark), mark: messages.length };
    // Unknown until the turn is answered.
    this.#live.of(session).promptedIteration = undefined;
    return this.#follow(await this.#options.sessions.turn(this.#keyOf(session), turn));
  }

  /** The failed turn does not count; its iteration is retried after a delay. */
  async #onFailedTurn(session: string, error: string, run?: string): Followup {
    const live = this.#live.of(session);
    try {
      const loop = await this.#find(session);
      if (!loop || (run !== undefined && loop.run !== run)) {
        live.recovery = undefined;
        return undefined;
      }
      const from = await this.#messages(session).then(
        ({ length }) => length,
        () => undefined,
      );
      const mark = from !== undefined && { mark: from };
      live.recovery = from === undefined ? {} : { from };
      const turn = { iteration: loop.iteration, message: "", error, ...mark };
      const answer = await this.#options.sessions.turn(this.#keyOf(session), turn);
      if (answer.type !== "later") live.recovery = undefined;
      return await this.#follow(answer);
    } catch (fault) {
      live.recovery = undefined;
      throw fault;
    }
  }

  /** Acts on the answer to a turn: shows it, schedules a retry, or prompts the session to continue. */
  async #follow(answer: TurnAnswer): Followup {
    const isKnown =
      answer.type === "ended" && this.#live.of(answer.loop.session).cancelledRuns.has(answer.loop.run);
    const toast = isKnown ? undefined : answerToast(answer);
    if (toast) this.toast(toast);
    if (answer.type === "later") this.#scheduleRetry(answer.until, answer.loop.session);
    if (answer.type !== "go-on") return undefined;
    await sleep(this.#options.continuationDelay);
    return this.#injectionFor(answer.loop);
  }

  #scheduleRetry(until: string, session: string): void {
    const live = this.#live.of(session);
    const { from } = live.recovery ?? {};
    const retry = () => void this.#enqueue(session, () => this.#retry(session, from));
    const timer = setTimeout(retry, Math.max(0, Date.parse(until) - Date.now()));
    // Must not keep the host's process alive.
    timer.unref?.();
    live.recovery = { timer, ...(from !== undefined && { from }) };
  }

  /** Prompts the session again after an error, unless the user has continued it: then its idle event follows. */
  async #retry(session: string, from: number | undefined): Followup {
    this.#live.of(session).recovery = undefined;
    const loop = await this.#find(session);
    if (!loop) return undefined;
    if (loop.ended) return this.#reportTurn(loop, []);
    const isContinued = from !== undefined && hasUserMessageSince(await this.#messages(session), from);
    return isContinued ? undefined : this.#injectionFor(loop);
  }

  /** Undefined when the loop was cancelled, has moved on, or waits for an error to be over. */
  async #injectionFor({ session, run, iteration, words }: SessionLoop): Followup {
    const current = await this.#find(session);
    const live = this.#live.of(session);
    const isWanted = () => !live.isCancelling && !live.cancelledRuns.has(run) && !live.recovery;
    if (current?.run !== run || current.iteration !== iteration || current.ended || !isWanted())
      return undefined;
    return async () => {
      if (!isWanted()) return;
      live.promptedIteration = iteration;
      try {
        await this.#options.injectPrompt?.(session, words);
      } catch (error) {
        const reason = `the session could not be told to go on: ${messageOf(error)}`;
        live.recovery = {};
        await this.#enqueue(session, () => this.#onFailedTurn(session, reason, run));
      }
    };
  }

  /** Cancels loops of this folder whose session no longer exists. */
  async #cancelOrphans(): Promise<undefined> {
    const { sessions, host, workdir, checkSessionExists } = this.#options;
    if (!checkSessionExists) return;
    for (const { session } of await sessions.list(host, workdir)) {
      // An unknown answer must not end a loop.
      const exists = await (async () => checkSessionExists(session))().catch(() => true);
      if (!exists) await this.cancel(session, "its session is gone");
    }
  }
}
