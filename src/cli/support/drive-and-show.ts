// Drives a run in this terminal: prints its events, handles Ctrl-C, and returns the exit code.
import { drive } from "#runs/drive";
import type { Limits } from "#spec/task";
import type { Hold } from "#state/acquire-run";
import type { Context } from "#state/context";
import { fold, foldAll } from "#views/run-view";
import { onReaderGone } from "./broken-pipe.ts";
import { exitCodeOf } from "./exit-code.ts";
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
function heedSignals(app: Context, id: string, presenter: Presenter, leave: AbortController): () => void {
  let asked = false;
  const hangUp = () => leave.abort();
  const stop = (signal: NodeJS.Signals) => {
    if (asked) {
      presenter.close();
      process.exit(130);
    }
    asked = true;
    presenter.note("stopping; once more to leave at once");
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
  const unheed = heedSignals(app, id, presenter, leave);
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
    unheed();
    presenter.close();
  }
  return run ? exitCodeOf(run) : 5;
}
