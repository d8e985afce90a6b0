// Encodes spans and metrics as OTLP/HTTP JSON: ids in hex, 64-bit numbers as strings, enumerations as numbers.
import { VERSION } from "#system/version";
import type { Metric, Point } from "./metrics.ts";
import type { Attributes, Span } from "./spans.ts";

const SCOPE = { name: "converge", version: VERSION };
const INTERNAL = 1;
const FAILED = 2;
const CUMULATIVE = 2;

const nanos = (ms: number) => String(BigInt(Math.round(ms)) * 1_000_000n);

function encodeValue(value: string | number | boolean): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Always doubles, even when whole, so that each attribute has one type. */
const FRACTION = /\.(score|cost_usd)$/;

function attributesOf(attributes: Attributes): unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const typed =
      FRACTION.test(key) && typeof value === "number" ? { doubleValue: value } : encodeValue(value);
    return [{ key, value: typed }];
  });
}

function spanOf({ trace, id, parent, name, from, to, attributes, isError }: Span): unknown {
  return {
    traceId: trace,
    spanId: id,
    ...(parent && { parentSpanId: parent }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(from),
    endTimeUnixNano: nanos(to),
    attributes: attributesOf(attributes),
    status: isError ? { code: FAILED } : {},
  };
}

export function tracesBody(resource: Attributes, spans: readonly Span[]): string {
  const scopeSpans = [{ scope: SCOPE, spans: spans.map(spanOf) }];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }],
  });
}

interface Period {
  readonly from: number;
  readonly to: number;
}

function pointOf({ attributes, sum, count, buckets }: Point, { bounds }: Metric, { from, to }: Period) {
  const common = {
    attributes: attributesOf(attributes),
    startTimeUnixNano: nanos(from),
    timeUnixNano: nanos(to),
  };
  if (!bounds) return { ...common, asDouble: sum };
  return { ...common, count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: bounds };
}

function metricOf(metric: Metric, period: Period): unknown {
  const { name, unit, bounds, points } = metric;
  const dataPoints = [...points.values()].map((point) => pointOf(point, metric, period));
  const data = { aggregationTemporality: CUMULATIVE, dataPoints };
  return { name, unit, ...(bounds ? { histogram: data } : { sum: { ...data, isMonotonic: true } }) };
}

/** Cumulative values since `from`. */
export function metricsBody(resource: Attributes, metrics: readonly Metric[], from: number): string {
  const nonEmpty = metrics.filter(({ points }) => points.size > 0);
  const period = { from, to: Date.now() };
  const scopeMetrics = [{ scope: SCOPE, metrics: nonEmpty.map((metric) => metricOf(metric, period)) }];
  return JSON.stringify({
    resourceMetrics: [{ resource: { attributes: attributesOf(resource) }, scopeMetrics }],
  });
}
