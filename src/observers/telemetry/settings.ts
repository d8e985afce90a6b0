// Where telemetry goes, out of the task and the variables that OpenTelemetry has defined. Off unless somebody says where.
import type { Task } from "#spec/task";
import type { Env } from "#system/environment";

export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Settings {
  readonly traces?: Endpoint;
  readonly metrics?: Endpoint;
  /** What all of it is said of. */
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Why something is not sent although it was asked for. */
  readonly problem?: string;
}

type Signal = "TRACES" | "METRICS";

const TIMEOUT_MS = 10_000;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}

/** `a=b,c=d`, percent-encoded where it has to be. */
function pairs(text = ""): Record<string, string> {
  const found = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))] as const] : [];
  });
  return Object.fromEntries(found);
}

/** An empty variable counts as none. */
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
  const named = task !== "off" && task?.headersEnv;
  const texts = [
    named ? env[named] : undefined,
    env.OTEL_EXPORTER_OTLP_HEADERS,
    env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`],
  ];
  return Object.assign({}, ...texts.map((text) => pairs(text)));
}

function problemOf(urls: readonly string[], env: Env): string | undefined {
  const protocol = read(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol === "grpc")
    return "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Converge speaks http/json alone; name an endpoint for that, and unset the variable";
  const isGood = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return urls.every(isGood) ? undefined : "the endpoint is not an http(s) URL";
}

/** Undefined when telemetry is off. */
export function settingsFrom({ telemetry }: Pick<Task, "telemetry">, env: Env): Settings | undefined {
  if (telemetry === "off" || read(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const traces = urlFor("TRACES", telemetry, env);
  const metrics = urlFor("METRICS", telemetry, env);
  const urls = [traces, metrics].filter((url) => url !== undefined);
  if (urls.length === 0) return undefined;
  const given = pairs(env.OTEL_RESOURCE_ATTRIBUTES);
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

/** The span of somebody else's that a new run is to be part of. */
export function parentOf(task: Pick<Task, "telemetry">, env: Env): string | undefined {
  if (settingsFrom(task, env)?.traces === undefined) return undefined;
  const written = read(env, "TRACEPARENT")?.toLowerCase() ?? "";
  const isNothing = /^..-0{32}-|^..-.{32}-0{16}-/.test(written);
  return /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(written) && !isNothing ? written : undefined;
}
