// Asks a person at a terminal whether to start the agent although a gate timed out at the baseline.
import readline from "node:readline";
import { acquireHere } from "#runs/placement/acquire";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { driveAndShow } from "./drive-and-show.ts";

/** Whether the run ended at the baseline, with a gate that timed out. */
function isTimedOut({ ended, iterations, baseline }: Run): boolean {
  if (ended?.outcome !== "blocked" || iterations.length > 0) return false;
  return baseline.verdicts.some(
    ({ verdict }) => verdict.status === "errored" && verdict.evidence.timedOut === true,
  );
}

/** Ctrl-C and the end of input mean no. */
function ask(question: string): Promise<boolean> {
  const reader = readline.createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    reader.on("close", () => resolve(false)).on("SIGINT", () => reader.close());
    reader.question(question, (answer) => {
      resolve(/^\s*y(es)?\s*$/i.test(answer));
      reader.close();
    });
  });
}

/** Returns the exit code of the continued run; undefined if nobody was asked or the answer was no. */
export async function offerToGoOn(
  app: Context,
  id: string,
  flags: { readonly json: boolean; readonly wait: boolean },
): Promise<number | undefined> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (flags.json || !isTerminal || !isTimedOut(await loadRun(app, id))) return undefined;
  if (!(await ask("Start the agent although this gate has not judged? [y/N] "))) return undefined;
  const hold = await acquireHere(app, id, (text) => process.stderr.write(`${text}\n`));
  return driveAndShow(app, id, { ...flags, hold, allowErroredBaseline: true });
}
