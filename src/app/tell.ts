// Commands from people to a run, whether a process is at work on it or not.
import fs from "node:fs";
import { fold } from "#loop/fold";
import { ending, stamp } from "#loop/stamp";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import type { EventBody } from "#spec/event";
import type { Run } from "#spec/run";
import { secrets } from "#system/secrets";
import { refuseAgents } from "./agents-may-not.ts";
import { refuseAnswer } from "./answers.ts";
import { loadRun } from "./drive.ts";
import { claimRun, driverOf, type Hold, holderOf, holdWorkspace, InUseError } from "./hold.ts";
import type { Observer } from "./observer.ts";
import { closeAll, tellersOf } from "./observers.ts";
import type { App } from "./open.ts";

/** Told of what people should know that is not part of the run. */
type Warn = (text: string) => void;

export interface Told {
  readonly run: Run;
  /** A process is at work and will read it; otherwise it waits for `converge resume`. */
  readonly heard: boolean;
}

function refuse(run: Run, command: Command): string | undefined {
  if (run.ended)
    return `run ${run.id} has ended (${run.ended.outcome}); \`converge resume ${run.id}\` goes on with it`;
  if (
    command.type === "decide" &&
    command.iteration !== undefined &&
    command.iteration > run.iterations.length
  )
    return `run ${run.id} has ${run.iterations.length} iterations; there is no iteration ${command.iteration} to go back to`;
  if (command.type === "decide" && command.iteration !== undefined && command.choice !== "rollback")
    return "--iteration goes with rollback only";
  if (command.type === "approve" || command.type === "reject")
    return refuseAnswer(run, command, new Date().toISOString());
  return undefined;
}

/** While another run has the workspace, or it is on another machine, nobody drives this one, and it can be ended all the same. */
async function holdToEnd(app: App, run: Run, warn: Warn): Promise<Hold> {
  const isElsewhere = app.store.presence !== undefined && !fs.existsSync(run.dir);
  if (!isElsewhere && !holderOf(app, run)) return holdWorkspace(app, run, warn);
  const claim = await claimRun(app, run.id);
  return { release: async () => claim?.release() };
}

/** Ends a run that nobody drives, so that a stop is a stop. */
async function stopNow(app: App, found: Run, warn: Warn): Promise<Run> {
  const { release } = await holdToEnd(app, found, warn);
  let observers: readonly Observer[] = [];
  try {
    let run = await loadRun(app, found.id);
    observers = tellersOf(app, run, warn);
    const record = async (body: EventBody) => {
      const event = stamp(run, secrets.redact(body), {
        time: new Date().toISOString(),
        elapsedMs: run.elapsedMs,
      });
      await app.store.append(run.id, run.seq, [event]);
      run = fold(run, event);
      for (const observer of observers) await observer.saw(event, run);
    };
    for (const queued of await app.store.inbox(run.id, run.inbox))
      await record({ type: "command.received", queued });
    await record(ending(run, "stopped", run.stopping ?? "stopped"));
    return run;
  } finally {
    await release();
    await closeAll(observers);
  }
}

export async function tell(app: App, id: string, command: Command, warn: Warn = () => {}): Promise<Told> {
  const run = await loadRun(app, id);
  await refuseAgents(app, run, command.type);
  const refused = refuse(run, command);
  if (refused) throw new UsageError(refused);
  secrets.learn(run.task.secrets);
  await app.store.send(id, secrets.redact(command));
  const heard = (await driverOf(app, run)) !== undefined;
  if (command.type !== "stop" || heard) return { run, heard };
  try {
    return { run: await stopNow(app, run, warn), heard: false };
  } catch (error) {
    // Somebody took it meanwhile, and reads what was sent.
    if (error instanceof InUseError && error.holder?.run === id) return { run, heard: true };
    throw error;
  }
}
