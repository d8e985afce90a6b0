// Creates the observers of a run.

import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { saveLesson } from "./lessons.ts";
import { notifier } from "./notify/notifier.ts";
import { logSender } from "./send-logs.ts";
import { stateCopy } from "./state-copy.ts";
import { telemetry } from "./telemetry/telemetry.ts";
import { runUserHooks } from "./user-commands.ts";

type Warn = (text: string) => void;

/** Observers that report outside: notifications, telemetry, hooks. */
export function externalObservers(app: Context, run: Run, warn: Warn): Observer[] {
  return [
    notifier(app, run, { warn }),
    telemetry(run, { warn }),
    // Last, because the run waits for it.
    { saw: (event, now) => runUserHooks({ event, run: now, home: app.home }, warn) },
  ];
}

export function observersOf(app: Context, run: Run, warn: Warn): Observer[] {
  const copyState = stateCopy(warn);
  const { logs } = app.store;
  return [
    { saw: (_event, now) => copyState(now) },
    {
      saw: async (event, now) => {
        if (event.type === "run.ended") await saveLesson(app, now);
      },
    },
    ...(logs ? [logSender({ app, run, logs }, { warn })] : []),
    ...externalObservers(app, run, warn),
  ];
}

export async function closeAll(observers: readonly Observer[]): Promise<void> {
  await Promise.all(observers.map((observer) => observer.close?.()));
}
