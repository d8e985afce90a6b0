// converge(task): the loop for TypeScript callers. Await it for the outcome, iterate it for the events.

import { builtIns, type Registries } from "#catalog/built-ins";
import type { Inline } from "#config/read-parts";
import { readTask } from "#config/read-task";
import type { TaskInput } from "#config/task-options";
import { drive } from "#runs/drive";
import { acquireHere } from "#runs/placement/acquire";
import { prepareTask } from "#runs/prepare-task";
import { startRun } from "#runs/start";
import { tell } from "#runs/tell";
import type { Command } from "#spec/command";
import type { Outcome, RunEvent } from "#spec/event";
import type { Run, RunState } from "#spec/run";
import type { Store } from "#spec/store";
import type { Hold } from "#state/acquire-run";
import { type Context, openContext } from "#state/context";
import { fold, foldAll } from "#views/run-view";

export interface ConvergeOptions {
  /** Folder that relative paths and the default workspace refer to. */
  readonly cwd?: string;
  /** Folder for the state, instead of $CONVERGE_HOME. */
  readonly home?: string;
  /** Store for runs, instead of the state folder's database. The caller closes it. */
  readonly store?: Store;
  /** Agents, gates, strategies and memories that the task may name, instead of the built-in ones. */
  readonly registries?: Registries;
  /** Id of a run to resume; the task is needed again only for parts given as live objects. */
  readonly resume?: string;
  /** Aborting leaves the run as it is, to be resumed. */
  readonly signal?: AbortSignal;
  /** Keeps polling while the run waits for a person, and continues on an answer. */
  readonly wait?: boolean;
  readonly onActivity?: (text: string) => void;
  readonly onWarning?: (text: string) => void;
}

export interface Result {
  readonly state: RunState;
  /** Absent while the run is paused, waiting for a person, or was left to be resumed. */
  readonly outcome?: Outcome;
  readonly reason: string;
  /** Converged with a failing gate: a person or the task accepted that. */
  readonly partial: boolean;
  readonly iterations: number;
  readonly elapsedMs: number;
  /** The complete state of the run. */
  readonly run: Run;
}

export interface Convergence extends PromiseLike<Result>, AsyncIterable<RunEvent> {
  readonly id: Promise<string>;
  stop(reason?: string): Promise<void>;
  /** Sends any other command: pause, steer, decide, approve, reject. */
  tell(command: Command): Promise<void>;
}

function resultOf(run: Run): Result {
  return {
    state: run.state,
    ...(run.ended && { outcome: run.ended.outcome }),
    reason: run.ended?.reason ?? run.waitingFor?.reason ?? run.state,
    partial: run.ended?.partial ?? false,
    iterations: run.iterations.length,
    elapsedMs: run.elapsedMs,
    run,
  };
}

/** Replays past events and then streams new ones, to any number of listeners. */
function broadcast() {
  const events: RunEvent[] = [];
  let over = false;
  const waiting: (() => void)[] = [];
  const next = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  return {
    push: (event: RunEvent) => {
      events.push(event);
      next();
    },
    end: () => {
      over = true;
      next();
    },
    async *listen(): AsyncGenerator<RunEvent, void> {
      for (let at = 0; ; at++) {
        while (at >= events.length) {
          if (over) return;
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        const event = events[at];
        if (event) yield event;
      }
    },
  };
}

interface Prepared {
  readonly app: Context;
  readonly id: string;
  readonly inline?: Inline;
  readonly hold: Hold;
}

function envOf({ home }: ConvergeOptions): NodeJS.ProcessEnv {
  return home ? { ...process.env, CONVERGE_HOME: home } : process.env;
}

/** Closes the store on error, unless the caller provided it. */
async function closeOnError<T>(
  { app, options }: { app: Context; options: ConvergeOptions },
  work: Promise<T>,
): Promise<T> {
  return work.catch(async (error) => {
    if (!options.store) await app.store.close();
    throw error;
  });
}

async function prepare(task: TaskInput, options: ConvergeOptions, registries: Registries): Promise<Prepared> {
  const env = envOf(options);
  const warn = options.onWarning ?? (() => {});
  const source = { flags: task, cwd: options.cwd ?? process.cwd(), origin: "task" };
  if (options.resume) {
    const live = Object.keys(task).length > 0 ? (await readTask(source, registries)).inline : undefined;
    const [app, id] = [openContext(env, options.store), options.resume];
    const hold = await closeOnError({ app, options }, acquireHere(app, id, warn));
    return { app, id, hold, ...(live && { inline: live }) };
  }
  const read = await prepareTask(source, {
    env,
    registries,
    onRead: ({ warnings }) => warnings.forEach(warn),
  });
  const app = openContext(env, options.store);
  return { app, ...(await closeOnError({ app, options }, startRun(app, read, warn))), inline: read.inline };
}

export function converge(task: TaskInput, options: ConvergeOptions = {}): Convergence {
  const registries = options.registries ?? builtIns();
  const prepared = prepare(task, options, registries);
  const events = broadcast();

  const driveToEnd = async ({ app, id, inline, hold }: Prepared): Promise<Result> => {
    let run = foldAll(await app.store.read(id));
    const driven = drive(app, id, {
      registries,
      ...(inline && { inline }),
      warn: options.onWarning ?? (() => {}),
      hold,
      ...(options.signal && { signal: options.signal }),
      ...(options.wait && { wait: true }),
      ...(options.onActivity && { onActivity: options.onActivity }),
    });
    for await (const event of driven) {
      run = fold(run, event);
      events.push(event);
    }
    if (!run) throw new Error(`run ${id} has no events`);
    return resultOf(run);
  };

  const result = prepared
    .then((ready) => driveToEnd(ready).finally(() => options.store ?? ready.app.store.close()))
    .finally(events.end);
  // A caller that only iterates gets the error there; it must not end the process as an unhandled rejection.
  result.catch(() => {});
  const send = async (command: Command) => {
    const { id } = await prepared;
    // Open a new connection: the run's own is closed once it is parked, which is when people decide.
    const app = openContext(envOf(options), options.store);
    await tell(app, { id, command }, options.onWarning).finally(() => options.store ?? app.store.close());
  };
  const id = prepared.then((value) => value.id);
  id.catch(() => {});

  return {
    id,
    // biome-ignore lint/suspicious/noThenProperty: being awaitable is the point.
    then: (onfulfilled, onrejected) => result.then(onfulfilled, onrejected),
    async *[Symbol.asyncIterator]() {
      yield* events.listen();
      await result;
    },
    stop: (reason = "stopped by the program") => send({ type: "stop", reason }),
    tell: send,
  };
}
