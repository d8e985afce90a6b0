// Sends commands to a run: stop, pause, steer, decide, and the answers to a gate that waits for a person.
import os from "node:os";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import type { Argument, Option } from "./command.ts";
import { print, warn } from "./messages.ts";
import { openRun, openWithQueue, viewRun } from "./open-run.ts";

/** `done` describes what the command does, for the message. */
export async function sendCommand(typed: string, command: Command, done: string): Promise<number> {
  const { tell } = await import("#runs/tell");
  const { app, id } = await openRun(typed, await openWithQueue());
  const { heard, run } = await tell(app, id, command, warn);
  await app.queue?.close();
  const isSession = run.task.agents[0]?.type === "session";
  const pending = isSession
    ? "the run reads it when the session's turn ends"
    : `no process drives the run now, continue it with: converge resume ${id}`;
  print(`run ${id}: ${done}${heard || run.ended ? "" : `; ${pending}`}`);
  return 0;
}

export const WAITING_GATE: Argument = {
  name: "[gate]",
  description: "name of the gate (default: the one that waits)",
};

export const answerOptions: readonly Option[] = [
  { flags: "--message <text>", description: "the reason, for the record" },
  { flags: "--as <name>", description: "who answers (default: your user name)" },
];

interface Answer {
  /** The run, as it was typed. */
  readonly typed: string;
  readonly gate?: string | undefined;
  readonly message?: string;
  readonly as?: string;
}

/** Defaults to the waiting gate if there is exactly one. */
async function waitingGate(typed: string): Promise<string> {
  const { run } = await viewRun(await openRun(typed, await openWithQueue()));
  const waiting = run.waitingFor?.gates ?? [];
  if (waiting.length === 1 && waiting[0]) return waiting[0];
  throw new UsageError(
    waiting.length === 0
      ? "no gate of this run waits for a person"
      : `several gates wait for a person; name one: ${waiting.join(", ")}`,
  );
}

export async function answerGate(type: "approve" | "reject", answer: Answer): Promise<number> {
  const gate = answer.gate || (await waitingGate(answer.typed));
  const { nameIn } = await import("#runs/check-approval");
  const by = nameIn(answer.as ?? os.userInfo().username);
  if (by === undefined)
    throw new UsageError(`--as: expected a name on one line, got ${JSON.stringify(answer.as)}`);
  const command: Command = { type, gate, by, ...(answer.message && { message: answer.message }) };
  const done = `${gate} ${type === "approve" ? "approved" : "rejected"} by ${by}`;
  return sendCommand(answer.typed, command, done);
}
