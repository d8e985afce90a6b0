// Stores session loops as runs: the end of each turn drives the run up to the next turn.
import fs from "node:fs";
import path from "node:path";
import { type Ended, sessionAgent } from "#agents/session-agent";
import { builtIns, type Registries } from "#catalog/built-ins";
import { foldAll } from "#loop/fold";
import { backoffMs } from "#rules/backoff";
import { drive } from "#runs/drive";
import { awayMs } from "#runs/open-ports";
import { startRun } from "#runs/start";
import { tell } from "#runs/tell";
import { TamperedError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { SessionKey, SessionLoop, Sessions, SessionWish, Turn, TurnAnswer } from "#spec/session";
import { acquireWorkspace } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { driverOf, fold } from "#views/run-view";
import { type State, sessionStates } from "./session-file.ts";
import { readWish } from "./session-task.ts";
import { patiently } from "./wait-for-session.ts";

export interface SessionsOptions {
  readonly registries?: Registries;
  /** Receives warnings for people that are not part of the run. */
  readonly warn?: (text: string) => void;
  /** Initial backoff in milliseconds before a failed turn is retried; doubles with each consecutive failure. */
  readonly retryMs?: number;
}

/** Maximum number of consecutive errors that are retried. */
const MOST_ERRORS = 8;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

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
    ...(run.ended && { ended: { outcome: run.ended.outcome, reason: run.ended.reason } }),
  };
}

function answerOf(state: State, run: Run): TurnAnswer {
  const loop = loopOf(state, run);
  const { reason = run.state, until } = run.waitingFor ?? {};
  if (run.ended) return { type: "ended", loop, outcome: run.ended.outcome, reason: run.ended.reason };
  if (run.state !== "away") return { type: "rest", loop, reason };
  return until === undefined ? { type: "go-on", loop } : { type: "later", loop, until, reason };
}

/** The folder's path as a run stores it: real and absolute. */
function realDir(dir: string): string {
  return fs.existsSync(dir) ? fs.realpathSync(dir) : path.resolve(dir);
}

const REPLACED = "another loop was started in the session";
const NONE: TurnAnswer = { type: "none" };

interface Found {
  readonly state: State;
  readonly run: Run;
}

export function sessions(app: Context, options: SessionsOptions = {}): Sessions {
  const { registries = builtIns(), warn = () => {}, retryMs = FIRST_RETRY_MS } = options;
  const states = sessionStates(app.home, warn);

  const retryAt = (errors: number): string => {
    const wait = backoffMs(errors - 1, { firstMs: retryMs, maxMs: MAX_RETRY_MS });
    return new Date(Date.now() + wait).toISOString();
  };

  const load = async (id: string): Promise<Run | undefined> => {
    try {
      return foldAll(await app.store.read(id));
    } catch (error) {
      // A tampered record is not trusted, so the loop cannot continue; the session must not get stuck on it.
      if (!(error instanceof TamperedError)) throw error;
      warn(`the loop of this session is over: ${error.message}`);
      return undefined;
    }
  };

  /** Loads the session's state and its run; deletes a state without a readable run. */
  const current = async (key: SessionKey): Promise<Found | undefined> => {
    const state = states.read(key);
    const run = state && (await load(state.run));
    if (state && run) return { state, run };
    if (state) states.remove(key);
    return undefined;
  };

  /** Drives the run up to the session's next turn; `ended` is the turn that just ended. The caller holds the lock. */
  const advance = async ({ state, run: from }: Found, ended?: Ended): Promise<Run> => {
    let run = from;
    const events = drive(app, state.run, {
      registries,
      inline: { agents: new Map([[0, sessionAgent(state, ended, from.task.prices)]]), gates: new Map() },
      hold: { release: async () => {} },
      warn,
    });
    for await (const event of events) run = fold(run, event);
    return run;
  };

  /** Reports the end of a loop to exactly one caller, and not after a cancel, whose caller knows already. */
  const answered = ({ state, run }: Found): TurnAnswer => {
    if (!run.ended) return answerOf(state, run);
    return states.read(state)?.run === run.id && states.remove(state) ? answerOf(state, run) : NONE;
  };

  const stop = (run: Run, reason: string) => tell(app, run.id, { type: "stop", reason }, warn);

  const cancel: Sessions["cancel"] = async (key, reason) => {
    const found = await current(key);
    if (!found) return undefined;
    if (!found.run.ended) await stop(found.run, reason);
    states.remove(key);
    return found.run.ended ? undefined : loopOf(found.state, found.run);
  };

  /** Handles a turn. The caller holds the workspace lock, so no other process handles a turn of this session. */
  const hear = async (key: SessionKey, turn: Turn): Promise<TurnAnswer> => {
    const found = await current(key);
    if (found?.run.ended) return answered(found);
    if (found?.run.iterations.length !== turn.iteration) return NONE;
    const { state, run } = found;
    const errors = turn.error === undefined ? 0 : state.errors + 1;
    const listened = { ...state, errors, mark: turn.mark ?? state.mark };
    states.write(listened);
    const again = errors > 0 && errors <= MOST_ERRORS && { retryAt: retryAt(errors) };
    // An interrupted run may not have prompted the session, so silence is not an answer.
    const isSilent = turn.message.trim() === "" && turn.error === undefined;
    const ended =
      run.state === "running" && isSilent ? undefined : { turn, durationMs: awayMs(run), ...again };
    const after = await advance({ state: listened, run }, ended);
    // Paused before the turn was processed: reset the state, so that its text counts with the next turn.
    if (after.state === "paused" && !after.iterations.at(-1)?.agent && states.read(key)?.run === run.id)
      states.write(state);
    return answered({ state: listened, run: after });
  };

  const begin = async (key: SessionKey, { mark = 0, description }: SessionWish, id: string) => {
    const state = { host: key.host, session: key.session, run: id, mark, errors: 0, description };
    states.write(state);
    const run = await advance({ state, run: await loadRun(app, id) });
    if (run.ended) throw new Error(`the loop could not begin: ${run.ended.reason}`);
    return loopOf(state, run);
  };

  /** Stops a loop that could not begin, keeping only its record, and reinstates the previous loop. */
  const abandon = async (key: SessionKey, id: string, before: Found | undefined, error: unknown) => {
    if (states.read(key)?.run === id) before ? states.write(before.state) : states.remove(key);
    const run = await loadRun(app, id);
    if (!run.ended) await stop(run, `the loop could not begin: ${(error as Error).message}`);
    throw error;
  };

  return {
    start: async (key, wish) => {
      const read = await readWish(key, wish, { home: app.home, registries });
      read.warnings.forEach(warn);
      const found = await current(key);
      // Cancel a loop that is being driven: do not wait for its gates.
      if (found && (await driverOf(app, found.run))) await cancel(key, REPLACED);
      const { id, hold } = await patiently(app, () => startRun(app, read, warn));
      const before = await current(key);
      const loop = await begin(key, wish, id)
        .finally(hold.release)
        .catch((error) => abandon(key, id, before, error));
      if (before && !before.run.ended) await stop(before.run, REPLACED);
      return loop;
    },
    find: async (key) => {
      const found = await current(key);
      return found && loopOf(found.state, found.run);
    },
    turn: async (key, turn) => {
      const found = await current(key);
      if (found?.run.ended) return answered(found);
      if (found?.run.iterations.length !== turn.iteration) return NONE;
      const { release } = await patiently(app, () => acquireWorkspace(app, found.run, warn));
      return hear(key, turn).finally(release);
    },
    cancel,
    list: async (host, dir) => {
      const found = await Promise.all(states.list(host).map(current));
      const here = found.filter((one) => one && (dir === undefined || one.run.dir === realDir(dir)));
      return here.flatMap((one) => (one ? { host, session: one.state.session } : []));
    },
  };
}
