// Drives a run in this terminal: prints its events, handles Ctrl-C, and returns the exit code.
import readline from "node:readline";
import { drive } from "#runs/drive";
import { acquireHere } from "#runs/placement/acquire";
import type { Run } from "#spec/run";
import type { Limits } from "#spec/task";
import type { Hold } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { fold, foldAll } from "#views/run-view";
import { exitCodeOf, INTERNAL_ERROR, STOPPED } from "./exit-code.ts";
import { onReaderGone, printNote } from "./messages.ts";
import type { OpenRun } from "./open-run.ts";
import { type Presenter, presenterFor } from "./presenter.ts";

export interface DriveFlags {
  readonly json: boolean;
  /** Keeps the process alive while the run waits for a person. */
  readonly wait: boolean;
  readonly limits?: Partial<Limits>;
  /** Starts the agent even if a gate errors at the baseline. */
  readonly allowErroredBaseline?: boolean;
  readonly hold: Hold;
}

/** The first Ctrl-C requests a stop and waits for it; the second exits at once, which also ends the agent. */
function handleSignals({ app, id }: OpenRun, presenter: Presenter, hangUp: () => void): () => void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) {
      presenter.close();
      process.exit(STOPPED);
    }
    isStopping = true;
    presenter.note("stopping; press Ctrl-C again to exit at once");
    const reason = `stopped by ${signal === "SIGINT" ? "Ctrl-C" : signal}`;
    // Abort when the store rejects the command, e.g. because the agent deleted it: Ctrl-C must always work.
    app.store.send(id, { type: "stop", reason }).catch(hangUp);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", hangUp);
  return () => {
    process.off("SIGINT", stop).off("SIGTERM", stop).off("SIGHUP", hangUp);
  };
}

export async function driveAndShow(app: Context, id: string, flags: DriveFlags): Promise<number> {
  // A broken pipe must not end the run.
  onReaderGone(() => {});
  const presenter = presenterFor(app, flags.json, () => flags.wait);
  const leave = new AbortController();
  const ignoreSignals = handleSignals({ app, id }, presenter, () => leave.abort());
  let run = foldAll(await app.store.read(id));
  try {
    const events = drive(app, id, {
      signal: leave.signal,
      warn: presenter.note,
      wait: flags.wait,
      hold: flags.hold,
      ...(flags.limits && { limits: flags.limits }),
      ...(flags.allowErroredBaseline && { allowErroredBaseline: true }),
    });
    for await (const event of events) {
      run = fold(run, event);
      presenter.event(event, run);
    }
  } finally {
    ignoreSignals();
    presenter.close();
  }
  return run ? exitCodeOf(run) : INTERNAL_ERROR;
}

/** Whether the run ended at the baseline, with a gate that timed out. */
function hasTimedOutAtBaseline({ ended, iterations, baseline }: Run): boolean {
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

/**
 * Asks a person at a terminal whether to start the agent although a gate timed out at the baseline. Returns the exit
 * code of the continued run; undefined if nobody was asked or the answer was no.
 */
export async function offerToContinue(
  app: Context,
  id: string,
  flags: Pick<DriveFlags, "json" | "wait">,
): Promise<number | undefined> {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (flags.json || !isTerminal || !hasTimedOutAtBaseline(await loadRun(app, id))) return undefined;
  if (!(await ask("Start the agent although this gate has not judged? [y/N] "))) return undefined;
  const hold = await acquireHere(app, id, printNote);
  return driveAndShow(app, id, { ...flags, hold, allowErroredBaseline: true });
}
