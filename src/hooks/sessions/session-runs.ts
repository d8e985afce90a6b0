// Stores session loops as runs: the end of each turn drives the run up to the next turn.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
import { acquireWorkspace, InUseError } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { driverOf, fold } from "#views/run-view";
import { type SessionStates, type State, sessionStates } from "./session-file.ts";
import { readWish } from "./session-task.ts";

export interface SessionsOptions {
  readonly registries?: Registries;
  /** Receives warnings for people that are not part of the run. */
  readonly warn?: (text: string) => void;
  /** Initial backoff in milliseconds before a failed turn is retried; doubles with each consecutive failure. */
  readonly retryMs?: number;
}

/** Maximum number of consecutive errors that are retried. */
const MAX_ERRORS = 8;
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

const POLL_MS = 100;
/** Maximum number of polls while the lock's holder has no readable run. */
const MAX_UNKNOWN = 100;

/** Undefined while the run has no events: it locks its workspace before it writes any. */
async function isSession(app: Context, run: string): Promise<boolean | undefined> {
  const holder = foldAll(await app.store.read(run));
  return holder && holder.task.agents[0]?.type === "session";
}

/**
 * Retries `take` while the loop of another session holds the workspace, so that sessions in one folder are judged in turn.
 * Throws InUseError when any other run holds it.
 */
async function waitForSession<T>(app: Context, take: () => Promise<T>): Promise<T> {
  for (let unknown = 0; ; await sleep(POLL_MS))
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof InUseError)) throw error;
      const { holder } = error;
      const waits = (holder && (await isSession(app, holder.run))) ?? ++unknown < MAX_UNKNOWN;
      if (!waits) throw error;
    }
}

const REPLACED = "another loop was started in the session";
const NONE: TurnAnswer = { type: "none" };

interface SessionRun {
  readonly state: State;
  readonly run: Run;
}

interface SessionContext extends Required<SessionsOptions> {
  readonly app: Context;
  readonly states: SessionStates;
}

function retryAt({ retryMs }: SessionContext, errors: number): string {
  const wait = backoffMs(errors - 1, { firstMs: retryMs, maxMs: MAX_RETRY_MS });
  return new Date(Date.now() + wait).toISOString();
}

async function load({ app, warn }: SessionContext, id: string): Promise<Run | undefined> {
  try {
    return foldAll(await app.store.read(id));
  } catch (error) {
    // A tampered record is not trusted, so the loop cannot continue; the session must not get stuck on it.
    if (!(error instanceof TamperedError)) throw error;
    warn(`the loop of this session is over: ${error.message}`);
    return undefined;
  }
}

/** Loads the session's state and its run; deletes a state without a readable run. */
async function current(context: SessionContext, key: SessionKey): Promise<SessionRun | undefined> {
  const state = context.states.read(key);
  const run = state && (await load(context, state.run));
  if (state && run) return { state, run };
  if (state) context.states.remove(key);
  return undefined;
}

/** Drives the run up to the session's next turn; `ended` is the turn that just ended. The caller holds the lock. */
async function advance(
  context: SessionContext,
  { state, run: from }: SessionRun,
  ended?: Ended,
): Promise<Run> {
  const { app, registries, warn } = context;
  let run = from;
  const events = drive(app, state.run, {
    registries,
    inline: { agents: new Map([[0, sessionAgent(state, ended, from.task.prices)]]), gates: new Map() },
    hold: { release: async () => {} },
    warn,
  });
  for await (const event of events) run = fold(run, event);
  return run;
}

/** Reports the end of a loop to exactly one caller, and not after a cancel, whose caller knows already. */
function answerOnce({ states }: SessionContext, { state, run }: SessionRun): TurnAnswer {
  if (!run.ended) return answerOf(state, run);
  return states.read(state)?.run === run.id && states.remove(state) ? answerOf(state, run) : NONE;
}

const stop = ({ app, warn }: SessionContext, run: Run, reason: string) =>
  tell(app, { id: run.id, command: { type: "stop", reason } }, warn);

async function cancel(
  context: SessionContext,
  key: SessionKey,
  reason: string,
): Promise<SessionLoop | undefined> {
  const session = await current(context, key);
  if (!session) return undefined;
  if (!session.run.ended) await stop(context, session.run, reason);
  context.states.remove(key);
  return session.run.ended ? undefined : loopOf(session.state, session.run);
}

/** Handles a turn. The caller holds the workspace lock, so no other process handles a turn of this session. */
async function handleTurn(context: SessionContext, key: SessionKey, turn: Turn): Promise<TurnAnswer> {
  const { states } = context;
  const session = await current(context, key);
  if (session?.run.ended) return answerOnce(context, session);
  if (session?.run.iterations.length !== turn.iteration) return NONE;
  const { state, run } = session;
  const errors = turn.error === undefined ? 0 : state.errors + 1;
  const next = { ...state, errors, mark: turn.mark ?? state.mark };
  states.write(next);
  const retry = errors > 0 && errors <= MAX_ERRORS && { retryAt: retryAt(context, errors) };
  // An interrupted run may not have prompted the session, so silence is not an answer.
  const isSilent = turn.message.trim() === "" && turn.error === undefined;
  const ended = run.state === "running" && isSilent ? undefined : { turn, durationMs: awayMs(run), ...retry };
  const after = await advance(context, { state: next, run }, ended);
  // Paused before the turn was processed: reset the state, so that its text counts with the next turn.
  if (after.state === "paused" && !after.iterations.at(-1)?.agent && states.read(key)?.run === run.id)
    states.write(state);
  return answerOnce(context, { state: next, run: after });
}

/** Waits for the workspace, then handles the turn. */
async function takeTurn(context: SessionContext, key: SessionKey, turn: Turn): Promise<TurnAnswer> {
  const { app, warn } = context;
  const session = await current(context, key);
  if (session?.run.ended) return answerOnce(context, session);
  if (session?.run.iterations.length !== turn.iteration) return NONE;
  const { release } = await waitForSession(app, () => acquireWorkspace(app, session.run, warn));
  return handleTurn(context, key, turn).finally(release);
}

/** Writes the state of a new loop and prompts the session for the first time. */
async function begin(context: SessionContext, state: State): Promise<SessionLoop> {
  context.states.write(state);
  const run = await advance(context, { state, run: await loadRun(context.app, state.run) });
  if (run.ended) throw new Error(`the loop could not begin: ${run.ended.reason}`);
  return loopOf(state, run);
}

interface FailedStart {
  readonly state: State;
  /** The loop that the session had before. */
  readonly before: SessionRun | undefined;
  readonly error: unknown;
}

/** Stops a loop that could not begin, keeping only its record, and reinstates the previous loop. */
async function abandon(context: SessionContext, failed: FailedStart): Promise<void> {
  const { states, app } = context;
  const { state, before, error } = failed;
  if (states.read(state)?.run === state.run) before ? states.write(before.state) : states.remove(state);
  const run = await loadRun(app, state.run);
  if (!run.ended) await stop(context, run, `the loop could not begin: ${(error as Error).message}`);
}

async function start(context: SessionContext, key: SessionKey, wish: SessionWish): Promise<SessionLoop> {
  const { app, registries, warn } = context;
  const read = await readWish(key, wish, { home: app.home, registries });
  read.warnings.forEach(warn);
  const earlier = await current(context, key);
  // Cancel a loop that is being driven: do not wait for its gates.
  if (earlier && (await driverOf(app, earlier.run))) await cancel(context, key, REPLACED);
  const { id, hold } = await waitForSession(app, () => startRun(app, read, warn));
  const before = await current(context, key);
  const { mark = 0, description } = wish;
  const state = { host: key.host, session: key.session, run: id, mark, errors: 0, description };
  const loop = await begin(context, state)
    .finally(hold.release)
    .catch(async (error) => {
      await abandon(context, { state, before, error });
      throw error;
    });
  if (before && !before.run.ended) await stop(context, before.run, REPLACED);
  return loop;
}

async function list(context: SessionContext, host: string, dir?: string): Promise<readonly SessionKey[]> {
  const all = await Promise.all(context.states.list(host).map((key) => current(context, key)));
  const here = all.filter((one) => one && (dir === undefined || one.run.dir === realDir(dir)));
  return here.flatMap((one) => (one ? { host, session: one.state.session } : []));
}

export function sessions(app: Context, options: SessionsOptions = {}): Sessions {
  const { registries = builtIns(), warn = () => {}, retryMs = FIRST_RETRY_MS } = options;
  const context = { app, registries, warn, retryMs, states: sessionStates(app.home, warn) };
  return {
    start: (key, wish) => start(context, key, wish),
    find: async (key) => {
      const session = await current(context, key);
      return session && loopOf(session.state, session.run);
    },
    turn: (key, turn) => takeTurn(context, key, turn),
    cancel: (key, reason) => cancel(context, key, reason),
    list: (host, dir) => list(context, host, dir),
  };
}
