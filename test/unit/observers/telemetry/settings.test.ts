import { expect, it } from "vitest";
import { parentOf, settingsFrom } from "#observers/telemetry/settings";
import { traceOf, traceparentOf } from "#observers/telemetry/trace";

const HERE = "http://127.0.0.1:4318";
const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: HERE };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

it("is off without an endpoint, and when the task or a variable switches it off", () => {
  const task = { telemetry: { endpoint: HERE } };
  expect(settingsFrom({}, {})).toBeUndefined();
  expect(settingsFrom({ telemetry: "off" }, ON)).toBeUndefined();
  expect(settingsFrom(task, { OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  const none = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "console" };
  expect(settingsFrom(task, none)).toBeUndefined();
});

it("prefers the environment to the task, and the variables of a signal to the common ones", () => {
  const env = {
    ...ON,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://metrics.example/in",
    OTEL_EXPORTER_OTLP_HEADERS: "a=1,b=2",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "b=3",
    MINE: "a=0,c=x%3Dy",
  };
  const task = { telemetry: { endpoint: "https://elsewhere.example", headersEnv: "MINE" } };
  expect(settingsFrom(task, env)).toMatchObject({
    traces: { url: `${HERE}/v1/traces`, headers: { a: "1", b: "2", c: "x=y" } },
    metrics: { url: "https://metrics.example/in", headers: { a: "1", b: "3", c: "x=y" } },
    resource: { "service.name": "converge" },
  });
});

it("reports an unsupported protocol and an invalid URL", () => {
  expect(settingsFrom({}, { ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })?.problem).toMatch(/http\/json/);
  const nonsense = settingsFrom({}, { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" });
  expect([nonsense?.problem, nonsense?.traces]).toEqual(["the endpoint is not an http(s) URL", undefined]);
});

it("joins a valid TRACEPARENT and ignores an invalid one", () => {
  const parent = `00-${TRACE}-${SPAN}-01`;
  expect(parentOf({}, { ...ON, TRACEPARENT: parent })).toBe(parent);
  expect(parentOf({}, { TRACEPARENT: parent })).toBeUndefined();
  for (const wrong of ["", "nonsense", `00-${"0".repeat(32)}-${SPAN}-01`, `00-${TRACE}-${"0".repeat(16)}-01`])
    expect(parentOf({}, { ...ON, TRACEPARENT: wrong })).toBeUndefined();
});

it("derives ids from the run and its steps, and keeps the sampling flag of the outer trace", () => {
  const run = { id: "abcdefgh", seq: 7 };
  expect(traceparentOf(run)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(traceparentOf({ ...run })).toBe(traceparentOf(run));
  expect(traceparentOf({ ...run, seq: 8 })).not.toBe(traceparentOf(run));
  expect(traceOf({ id: "bcdefghj" }).id).not.toBe(traceOf(run).id);
  const unkept = { ...run, traceparent: `00-${TRACE}-${SPAN}-00` };
  expect(traceOf(unkept)).toEqual({ id: TRACE, parent: SPAN, isKept: false });
  expect(traceparentOf(unkept)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
});
