// Observer that exports telemetry of a run as a fold of its events. Off unless an endpoint is configured.

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
    warn(`telemetry: ${settings.problem}. Nothing is sent`);
    return OFF;
  }
  // The headers hold credentials; gates see our environment and may print it.
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
