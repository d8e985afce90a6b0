// Appends events to a run. The loop and everything outside of it (start, submit, end, restore, deliver, a lost
// iteration) record through this file, so that every event has the same clock, masking and observers.
import { fold } from "#loop/fold";
import { stamp } from "#loop/stamp";
import { closeAll, observersOf } from "#observers/observers";
import type { EventBody, RunEvent } from "#spec/event";
import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { systemClock } from "#system/clock";
import { secrets } from "#system/secrets/secrets";

export interface Recorder {
  /** The run with everything recorded so far. */
  readonly run: Run;
  /** Masks the secrets of an event body, stamps it with the time, and appends it. */
  record(body: EventBody): Promise<RunEvent>;
  /** Appends an event of the loop, which masks and stamps its events itself. */
  append(event: RunEvent): Promise<RunEvent>;
}

/** Each event is durable before observers receive it. */
export function openRecorder({ store }: Context, start: Run, observers: readonly Observer[]): Recorder {
  let run = start;
  const append = async (event: RunEvent) => {
    await store.append(run.id, run.seq, [event]);
    run = fold(run, event);
    for (const observer of observers) await observer.saw(event, run);
    return event;
  };
  const record = (body: EventBody) =>
    append(stamp(run, secrets.redact(body), { time: systemClock.now(), elapsedMs: run.elapsedMs }));
  return {
    get run() {
      return run;
    },
    record,
    append,
  };
}

/** Writes the first event of a run. Observers start with the driver process; the task is masked already. */
export async function recordStart({ store }: Context, id: string, body: EventBody): Promise<void> {
  const event = stamp({ id, seq: 0 }, body, { time: systemClock.now(), elapsedMs: 0 });
  await store.append(id, 0, [event]);
}

/** Records one event of a run that has no driver, and returns the updated run. The caller holds the run's lock. */
export async function recordFact(
  app: Context,
  run: Run,
  { body, warn }: { readonly body: EventBody; readonly warn: (text: string) => void },
): Promise<Run> {
  const observers = observersOf(app, run, warn);
  const recorder = openRecorder(app, run, observers);
  try {
    await recorder.record(body);
    return recorder.run;
  } finally {
    await closeAll(observers);
  }
}
