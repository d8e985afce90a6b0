// Session loops kept as runs: every turn that ends drives the run as far as its next one.
import { setTimeout as sleep } from "node:timers/promises";
import { foldAll } from "#loop/fold";
import type { Run } from "#spec/run";
import type { SessionKey, SessionLoop, Sessions, Turn, TurnAnswer } from "#spec/session";
import { builtIns, type Registries } from "../built-ins.ts";
import { awayMs, drive } from "../drive.ts";
import { holdWorkspace, InUseError } from "../hold.ts";
import { isolationFor } from "../isolation.ts";
import type { App } from "../open.ts";
import { makeParts } from "../parts.ts";
import { startRun } from "../start.ts";
import { tell } from "../tell.ts";
import { fold } from "../view.ts";
import { type Ended, sessionAgent } from "./agent.ts";
import { type State, sessionStates } from "./state.ts";
import { readWish } from "./task.ts";

export interface SessionsOptions {
  readonly registries?: Registries;
  /** Something people should know that is not part of the run. */
  readonly warn?: (text: string) => void;
}

const POLL_MS = 100;
/** Errors in a row after which a session is no longer tried again; each waits twice as long as the one before. */
const MOST_ERRORS = 8;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

function loopOf({ host, session, mark, description }: State, run: Run): SessionLoop {
  const { task, iterations } = run;
  const current = iterations.at(-1);
  return {
    host,
    session,
    run: run.id,
    prompt: task.prompt,
    ...(description !== undefined && { description }),
    iteration: iterations.length,
    maxIterations: task.limits.iterations,
    promise: task.promise ?? "",
    gates: task.gates.map(({ name }) => name),
    startedAt: run.startedAt,
    lastIterationAt: current?.startedAt ?? run.startedAt,
    words: current?.prompt ?? "",
    mark,
  };
}

function answerOf(state: State, run: Run): TurnAnswer {
  const loop = loopOf(state, run);
  const { reason = run.state, until } = run.waitingFor ?? {};
  if (run.ended) return { type: "ended", loop, outcome: run.ended.outcome, reason: run.ended.reason };
  if (run.state !== "away") return { type: "rest", loop, reason };
  return until === undefined ? { type: "go-on", loop } : { type: "later", loop, until, reason };
}

function retryAt(errors: number): string {
  const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (errors - 1));
  return new Date(Date.now() + wait).toISOString();
}

export function sessions(app: App, options: SessionsOptions = {}): Sessions {
  const { registries = builtIns(), warn = () => {} } = options;
  const states = sessionStates(app.home, warn);

  /** Another session's loop is waited for while it is judged in the same folder; any other run is not. */
  const patiently = async <T>(take: () => Promise<T>): Promise<T> => {
    for (;;)
      try {
        return await take();
      } catch (error) {
        const holder = error instanceof InUseError ? error.holder : undefined;
        const other = holder && foldAll(await app.store.read(holder.run));
        if (other?.task.agents[0]?.type !== "session") throw error;
        await sleep(POLL_MS);
      }
  };

  const load = async (state: State): Promise<Run | undefined> => foldAll(await app.store.read(state.run));

  /** Drives as far as the session's next turn; `ended` is the turn that it comes from. */
  const advance = async (state: State, release: () => void, ended?: Ended): Promise<Run> => {
    let run = await load(state);
    const events = drive(app, state.run, {
      parts: ({ task }, isolation) => {
        const agent = sessionAgent(state, ended, task.prices);
        return makeParts(task, registries, { agents: new Map([[0, agent]]), gates: new Map() }, isolation);
      },
      release,
      warn,
    });
    for await (const event of events) run = fold(run, event);
    if (!run) throw new Error(`run ${state.run} has no events`);
    if (run.ended) states.remove(state);
    return run;
  };

  /** The state and its run, when the session has a loop that is not over; what points nowhere is cleared. */
  const current = async (key: SessionKey): Promise<{ state: State; run: Run } | undefined> => {
    const state = states.read(key);
    const run = state && (await load(state));
    if (state && run && !run.ended) return { state, run };
    if (state) states.remove(key);
    return undefined;
  };

  const cancel: Sessions["cancel"] = async (key, reason) => {
    const found = await current(key);
    if (!found) return undefined;
    await tell(app, found.run.id, { type: "stop", reason }, warn);
    states.remove(key);
    return loopOf(found.state, found.run);
  };

  const hear = async (key: SessionKey, turn: Turn): Promise<TurnAnswer> => {
    const found = await current(key);
    if (found?.run.iterations.length !== turn.iteration) return { type: "none" };
    const release = await patiently(() => holdWorkspace(app, found.run, warn));
    // Only now is nobody else answering: the iteration is compared again.
    const run = await load(found.state).catch((error) => {
      release();
      throw error;
    });
    if (!run || run.ended || run.iterations.length !== turn.iteration) {
      release();
      return { type: "none" };
    }
    const errors = turn.error === undefined ? 0 : found.state.errors + 1;
    const state = { ...found.state, errors, mark: turn.mark ?? found.state.mark };
    states.write(state);
    const again = errors > 0 && errors <= MOST_ERRORS && { retryAt: retryAt(errors) };
    // A run that was cut off hands the iteration out anew: whose work this turn was, nobody knows.
    const ended = run.state === "running" ? undefined : { turn, durationMs: awayMs(run), ...again };
    return answerOf(state, await advance(state, release, ended));
  };

  return {
    start: async (key, wish) => {
      const read = await readWish(key, wish, app.home, registries);
      read.warnings.forEach(warn);
      await (await makeParts(read.task, registries, read.inline)).close();
      isolationFor(read.task.isolation, app.home);
      await cancel(key, "another loop was started in the session");
      const { id, release } = await patiently(() => startRun(app, read, warn));
      const { mark = 0, description } = wish;
      const state = { host: key.host, session: key.session, run: id, mark, errors: 0, description };
      states.write(state);
      return loopOf(state, await advance(state, release));
    },
    find: async (key) => {
      const found = await current(key);
      return found && loopOf(found.state, found.run);
    },
    turn: hear,
    cancel,
    list: async (host) => states.list(host).map(({ session }) => ({ host, session })),
  };
}
