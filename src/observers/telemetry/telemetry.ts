// Telemetry of a run: a fold of its events, sent where the user said. Off unless somebody said so.

import type { Observer } from "#spec/observer";
import type { Run } from "#spec/run";
import { secrets } from "#system/secrets/secrets";
import { createExporter } from "./exporter.ts";
import { settingsFrom } from "./settings.ts";
import { spansOf } from "./spans.ts";
import { traceOf, traceparentOf } from "./trace.ts";

const OFF: Observer = { saw: () => {} };
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

export function telemetry(start: Run, { warn }: { readonly warn: (text: string) => void }): Observer {
  const settings = settingsFrom(start.task, process.env);
  if (!settings) return OFF;
  if (settings.problem !== undefined) {
    warn(`telemetry: ${settings.problem}; nothing is sent`);
    return OFF;
  }
  // They let people in; gates see our environment and may print it.
  if (process.env[HEADERS]) secrets.learn([HEADERS]);
  const exporter = createExporter(settings, warn);
  const { isKept } = traceOf(start);
  let run = start;
  return {
    saw: (event, now) => {
      if (settings.traces && isKept) exporter.spans(spansOf(run, event));
      exporter.count(run, event);
      run = now;
    },
    ...(settings.traces && { variables: () => ({ TRACEPARENT: traceparentOf(run) }) }),
    close: exporter.close,
  };
}
