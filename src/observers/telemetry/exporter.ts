// Sends what was seen, in batches, beside the run: bounded in number and in time, and complains once.
import { randomUUID } from "node:crypto";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { post } from "#system/http-post";
import { VERSION } from "#system/version";
import { createMetrics } from "./metrics.ts";
import { metricsBody, tracesBody } from "./otlp.ts";
import type { Endpoint, Settings } from "./settings.ts";
import type { Span } from "./spans.ts";

const EVERY_MS = 5_000;
const GRACE_MS = 3_000;
const BATCH = 512;
/** The oldest go when there are more: a collector that is away must not fill our memory. */
const MOST_SPANS = 2_048;

export interface Exporter {
  spans(found: readonly Span[]): void;
  count(before: Run, event: RunEvent): void;
  close(): Promise<void>;
}

export function createExporter(settings: Settings, warn: (text: string) => void): Exporter {
  const began = Date.now();
  const resource = {
    ...settings.resource,
    "service.version": VERSION,
    "service.instance.id": randomUUID(),
  };
  const metrics = createMetrics();
  const queue: Span[] = [];
  const leave = new AbortController();
  let hasCounted = false;
  let hasComplained = false;
  let sending: Promise<void> = Promise.resolve();

  const complain = (why: string) => {
    if (hasComplained) return;
    hasComplained = true;
    warn(`telemetry: ${why}; the run goes on without it`);
  };

  const send = async ({ url, headers }: Endpoint, body: string) => {
    const posted = await post({ url, body, headers, timeoutMs: settings.timeoutMs, signal: leave.signal });
    if (!posted.ok) complain(`${new URL(url).host}: ${posted.why}`);
    return posted;
  };

  const sendSpans = async (endpoint: Endpoint) => {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH);
      const posted = await send(endpoint, tracesBody(resource, batch));
      if (posted.ok || posted.again === "never") continue;
      // Sent again later they are the same spans.
      queue.unshift(...batch);
      queue.splice(0, queue.length - MOST_SPANS);
      return;
    }
  };

  const sendAll = async () => {
    if (settings.traces) await sendSpans(settings.traces);
    if (!settings.metrics || !hasCounted) return;
    hasCounted = false;
    const posted = await send(settings.metrics, metricsBody(resource, metrics.all, began));
    hasCounted ||= !posted.ok;
  };

  /** One at a time. */
  const flush = () => {
    sending = sending.then(sendAll);
    return sending;
  };
  const timer = setInterval(flush, EVERY_MS);
  timer.unref();

  return {
    spans: (found) => {
      queue.push(...found);
      queue.splice(0, queue.length - MOST_SPANS);
      if (queue.length >= BATCH) void flush();
    },
    count: (before, event) => {
      metrics.count(before, event);
      hasCounted = true;
    },
    close: async () => {
      clearInterval(timer);
      const over = setTimeout(() => leave.abort(), GRACE_MS);
      await flush();
      clearTimeout(over);
    },
  };
}
