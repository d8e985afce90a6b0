// Reads the telemetry settings from the task and the OTEL_* variables. Telemetry is off without an endpoint.
import type { Task } from "#spec/task";
import type { Env } from "#system/environment";

export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Settings {
  readonly traces?: Endpoint;
  readonly metrics?: Endpoint;
  /** Resource attributes. */
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Why nothing can be sent although an endpoint is set. */
  readonly problem?: string;
}

type Signal = "TRACES" | "METRICS";

const TIMEOUT_MS = 10_000;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}

/** Parses `a=b,c=d` with percent-encoding. */
function parsePairs(text = ""): Record<string, string> {
  const entries = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[decode(pair.slice(0, at)), decode(pair.slice(at + 1))] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** An empty variable counts as unset. */
const read = (env: Env, name: string) => env[name]?.trim() || undefined;

function urlFor(signal: Signal, task: Task["telemetry"], env: Env): string | undefined {
  const exporters = read(env, `OTEL_${signal}_EXPORTER`)?.split(",");
  if (exporters && !exporters.includes("otlp")) return undefined;
  const own = read(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  if (own) return own;
  const base = read(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? (task === "off" ? undefined : task?.endpoint);
  return base && `${base.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
}

function headersFor(signal: Signal, task: Task["telemetry"], env: Env): Record<string, string> {
  const headersEnv = task !== "off" && task?.headersEnv;
  const texts = [
    headersEnv ? env[headersEnv] : undefined,
    env.OTEL_EXPORTER_OTLP_HEADERS,
    env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`],
  ];
  return Object.assign({}, ...texts.map((text) => parsePairs(text)));
}

function problemOf(urls: readonly string[], env: Env): string | undefined {
  const protocol = read(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc")
    return "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but Converge only speaks http/json. Unset the variable and set OTEL_EXPORTER_OTLP_ENDPOINT to an http/json endpoint";
  const isHttpUrl = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return urls.every(isHttpUrl) ? undefined : "the endpoint is not an http(s) URL";
}

/** Undefined when telemetry is off. */
export function settingsFrom({ telemetry }: Pick<Task, "telemetry">, env: Env): Settings | undefined {
  if (telemetry === "off" || read(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const traces = urlFor("TRACES", telemetry, env);
  const metrics = urlFor("METRICS", telemetry, env);
  const urls = [traces, metrics].filter((url) => url !== undefined);
  if (urls.length === 0) return undefined;
  const given = parsePairs(env.OTEL_RESOURCE_ATTRIBUTES);
  const name = read(env, "OTEL_SERVICE_NAME") ?? given["service.name"] ?? "converge";
  const timeout = Number(read(env, "OTEL_EXPORTER_OTLP_TIMEOUT"));
  const common = {
    resource: { ...given, "service.name": name },
    timeoutMs: timeout > 0 ? Math.min(timeout, 60_000) : TIMEOUT_MS,
  };
  const problem = problemOf(urls, env);
  if (problem !== undefined) return { ...common, problem };
  return {
    ...common,
    ...(traces && { traces: { url: traces, headers: headersFor("TRACES", telemetry, env) } }),
    ...(metrics && { metrics: { url: metrics, headers: headersFor("METRICS", telemetry, env) } }),
  };
}

/** The traceparent of the outer trace that a new run joins; undefined when it is absent or invalid. */
export function parentOf(task: Pick<Task, "telemetry">, env: Env): string | undefined {
  if (settingsFrom(task, env)?.traces === undefined) return undefined;
  const traceparent = read(env, "TRACEPARENT")?.toLowerCase() ?? "";
  const isAllZero = /^..-0{32}-|^..-.{32}-0{16}-/.test(traceparent);
  return /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent) && !isAllZero
    ? traceparent
    : undefined;
}
