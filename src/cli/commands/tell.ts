// converge stop, pause, steer, decide, approve, reject: sends a command to a run.
import os from "node:os";
import { nameIn } from "#runs/check-approval";
import { tell } from "#runs/tell";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import { findRun } from "#state/find-run";
import { viewOf } from "#views/run-view";
import { openWithQueue } from "../support/open-context.ts";

const CHOICES = ["continue", "accept", "stop", "rollback"] as const;

async function send(given: string, command: Command, done: string): Promise<number> {
  const app = openWithQueue();
  const id = await findRun(app, given);
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const { heard, run } = await tell(app, { id, command }, warn);
  await app.queue?.close();
  const nobody = `nobody drives it now, go on with: converge resume ${id}`;
  const reading = run.task.agents[0]?.type === "session" ? "it is read when the session's turn ends" : nobody;
  process.stdout.write(`run ${id}: ${done}${heard || run.ended ? "" : `; ${reading}`}\n`);
  return 0;
}

export function stop(given: string, flags: { readonly reason?: string }): Promise<number> {
  return send(given, { type: "stop", reason: flags.reason ?? "stopped by a person" }, "stop asked for");
}

export function pause(given: string): Promise<number> {
  return send(given, { type: "pause" }, "pauses after the present step");
}

export function steer(given: string, words: readonly string[]): Promise<number> {
  const text = words.join(" ").trim();
  if (!text) throw new UsageError("say what the next iteration should know: converge steer RUN TEXT");
  return send(given, { type: "steer", text }, "the next prompt will say so");
}

export interface DecideFlags {
  readonly feedback?: string;
  readonly iteration?: string;
}

export function decide(given: string, choice: string, flags: DecideFlags): Promise<number> {
  const known = CHOICES.find((one) => one === choice);
  if (!known) throw new UsageError(`expected one of ${CHOICES.join(", ")}, got "${choice}"`);
  const iteration = flags.iteration === undefined ? undefined : Number(flags.iteration);
  if (iteration !== undefined && (!Number.isInteger(iteration) || iteration < 0))
    throw new UsageError(`--iteration: expected a number from 0 (the base) on, got "${flags.iteration}"`);
  const said = {
    ...(flags.feedback && { feedback: flags.feedback }),
    ...(iteration !== undefined && { iteration }),
  };
  return send(given, { type: "decide", choice: known, ...said }, `decided: ${known}`);
}

/** Defaults to the waiting gate if there is exactly one. */
async function gateOf(given: string, gate: string | undefined): Promise<string> {
  if (gate) return gate;
  const app = openWithQueue();
  const view = await viewOf(app, await findRun(app, given));
  const waiting = view?.run.waitingFor?.gates ?? [];
  if (waiting.length === 1 && waiting[0]) return waiting[0];
  throw new UsageError(
    waiting.length === 0
      ? "no gate of this run is waiting for a person"
      : `say which gate: ${waiting.join(", ")}`,
  );
}

export async function answer(
  type: "approve" | "reject",
  given: string,
  gate: string | undefined,
  flags: { readonly message?: string; readonly as?: string },
): Promise<number> {
  const name = await gateOf(given, gate);
  const by = nameIn(flags.as ?? os.userInfo().username);
  if (by === undefined)
    throw new UsageError(`--as: expected a name on one line, got ${JSON.stringify(flags.as)}`);
  const command: Command = { type, gate: name, by, ...(flags.message && { message: flags.message }) };
  return send(given, command, `${name} ${type === "approve" ? "approved" : "rejected"} by ${by}`);
}
