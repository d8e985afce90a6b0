// Sends a person's command to a run, whether it has a driver or not.
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Submission } from "#spec/submission";
import { driverOf, InUseError } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { refuseAgents } from "#state/refuse-agents";
import { secrets } from "#system/secrets/secrets";
import { refuseAnswer } from "./check-approval.ts";
import { endRun } from "./end-run.ts";

/** Receives warnings for people that are not part of the run. */
type Warn = (text: string) => void;

export interface Told {
  readonly run: Run;
  /** A driver or a worker will read the command; otherwise it stays in the inbox until `converge resume`. */
  readonly heard: boolean;
}

function refuse(run: Run, command: Command): string | undefined {
  if (run.ended)
    return `run ${run.id} has ended (${run.ended.outcome}); continue it with: converge resume ${run.id}`;
  if (
    command.type === "decide" &&
    command.iteration !== undefined &&
    command.iteration > run.iterations.length
  )
    return `run ${run.id} has ${run.iterations.length} iterations; there is no iteration ${command.iteration} to go back to`;
  if (command.type === "decide" && command.iteration !== undefined && command.choice !== "rollback")
    return "--iteration works only with rollback";
  if (command.type === "approve" || command.type === "reject")
    return refuseAnswer(run, command, new Date().toISOString());
  return undefined;
}

interface Message {
  /** The run. */
  readonly id: string;
  readonly command: Command;
}

export async function tell(app: Context, { id, command }: Message, warn: Warn = () => {}): Promise<Told> {
  const run = await loadRun(app, id);
  await refuseAgents(app, run, command.type);
  const refused = refuse(run, command);
  if (refused) throw new UsageError(refused);
  secrets.learn(run.task.secrets);
  await app.store.send(id, secrets.redact(command));
  const heard = (await driverOf(app, run)) !== undefined;
  // Put a waiting run back into the queue, so that a worker continues it.
  const isQueued = !heard && run.submission !== undefined && app.queue !== undefined;
  if (isQueued && run.state === "waiting" && command.type !== "stop")
    await app.queue?.put(id, run.submission as Submission);
  if (command.type !== "stop" || heard) return { run, heard: heard || isQueued };
  try {
    const reason = (now: Run) => now.stopping ?? "stopped";
    return { run: await endRun(app, run, { outcome: "stopped", reason, warn }), heard: false };
  } catch (error) {
    // Another process has acquired the run meanwhile and reads the command.
    if (error instanceof InUseError && error.holder?.run === id) return { run, heard: true };
    throw error;
  }
}
