// Who hears of the events of a run.

import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import type { App } from "#state/context";
import { keepLesson } from "./lessons.ts";
import { notifier } from "./notify/notifier.ts";
import { logSender } from "./send-logs.ts";
import { stateMirror } from "./state-copy.ts";
import { telemetry } from "./telemetry/telemetry.ts";
import { runHooks } from "./user-commands.ts";

type Warn = (text: string) => void;

/** Those who tell somebody outside. */
export function tellersOf(app: App, run: Run, warn: Warn): Observer[] {
  return [
    notifier(app, run, { warn }),
    telemetry(run, { warn }),
    // Last, because it is waited for.
    { saw: (event, now) => runHooks(event, now, app.home, warn) },
  ];
}

export function observersOf(app: App, run: Run, warn: Warn): Observer[] {
  const mirror = stateMirror(warn);
  const { logs } = app.store;
  return [
    { saw: (_event, now) => mirror(now) },
    {
      saw: async (event, now) => {
        if (event.type === "run.ended") await keepLesson(app, now);
      },
    },
    ...(logs ? [logSender(app, run, logs, { warn })] : []),
    ...tellersOf(app, run, warn),
  ];
}

export async function closeAll(observers: readonly Observer[]): Promise<void> {
  await Promise.all(observers.map((observer) => observer.close?.()));
}
