// Exports spans and metrics in batches, in the background: bounded queue, bounded time, one warning.
import { randomUUID } from "node:crypto";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { type Posted, post } from "#system/http-post";
import { VERSION } from "#system/version";
import { createMetrics } from "./metrics.ts";
import { metricsBody, tracesBody } from "./otlp.ts";
import type { Endpoint, Settings } from "./settings.ts";
import type { Attributes, Span } from "./spans.ts";

const EVERY_MS = 5_000;
const GRACE_MS = 3_000;
const BATCH = 512;
/** The queue drops its oldest spans beyond this: an unreachable collector must not exhaust memory. */
const MAX_SPANS = 2_048;

export interface Exporter {
  spans(spans: readonly Span[]): void;
  count(before: Run, event: RunEvent): void;
  close(): Promise<void>;
}

/** Sends a body to an endpoint; warns about the first failure only. */
function createSender({ timeoutMs }: Settings, warn: (text: string) => void, signal: AbortSignal) {
  let hasWarned = false;
  return async ({ url, headers }: Endpoint, body: string): Promise<Posted> => {
    const posted = await post({ url, body, headers, timeoutMs, signal });
    if (!posted.ok && !hasWarned) {
      hasWarned = true;
      warn(`telemetry: ${new URL(url).host}: ${posted.why}; the run continues without it`);
    }
    return posted;
  };
}

type Send = ReturnType<typeof createSender>;

/** Bounded queue of spans. */
function createSpanQueue(resource: Attributes) {
  const queue: Span[] = [];
  const dropOldest = () => queue.splice(0, queue.length - MAX_SPANS);
  return {
    add: (spans: readonly Span[]) => {
      queue.push(...spans);
      dropOldest();
      return queue.length;
    },
    sendTo: async (endpoint: Endpoint, send: Send) => {
      while (queue.length > 0) {
        const batch = queue.splice(0, BATCH);
        const posted = await send(endpoint, tracesBody(resource, batch));
        if (posted.ok || posted.again === "never") continue;
        // A retry sends the same span ids.
        queue.unshift(...batch);
        dropOldest();
        return;
      }
    },
  };
}

export function createExporter(settings: Settings, warn: (text: string) => void): Exporter {
  const began = Date.now();
  const resource = {
    ...settings.resource,
    "service.version": VERSION,
    "service.instance.id": randomUUID(),
  };
  const metrics = createMetrics();
  const queue = createSpanQueue(resource);
  const abort = new AbortController();
  const send = createSender(settings, warn, abort.signal);
  let hasCounted = false;
  let sending: Promise<void> = Promise.resolve();

  const sendAll = async () => {
    if (settings.traces) await queue.sendTo(settings.traces, send);
    if (!settings.metrics || !hasCounted) return;
    hasCounted = false;
    const posted = await send(settings.metrics, metricsBody(resource, metrics.all, began));
    hasCounted ||= !posted.ok;
  };
  /** Serializes exports: one at a time. */
  const flush = () => {
    sending = sending.then(sendAll);
    return sending;
  };
  const timer = setInterval(flush, EVERY_MS);
  timer.unref();

  return {
    spans: (spans) => {
      if (queue.add(spans) >= BATCH) void flush();
    },
    count: (before, event) => {
      metrics.count(before, event);
      hasCounted = true;
    },
    close: async () => {
      clearInterval(timer);
      const timeout = setTimeout(() => abort.abort(), GRACE_MS);
      await flush();
      clearTimeout(timeout);
    },
  };
}
