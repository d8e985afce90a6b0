import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { command, converge } from "../../src/index.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Value }[];
  readonly status: { code?: number };
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Sent["attributes"] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly Sent[];
    }[];
  }[];
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly aggregationTemporality: number };
  readonly histogram?: {
    readonly dataPoints: readonly { count: string; bucketCounts: string[]; explicitBounds: number[] }[];
  };
}

const ID = { trace: /^[0-9a-f]{32}$/, span: /^[0-9a-f]{16}$/, nanos: /^\d{19}$/ };

const at = (server: Receiver, place: string) => server.received.filter(({ path: asked }) => asked === place);

function spansAt(server: Receiver): Sent[] {
  const bodies = at(server, "/v1/traces").map(({ body }) => JSON.parse(body) as Traces);
  const spans = bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
  );
  for (const span of spans) {
    expect(span.traceId).toMatch(ID.trace);
    expect(span.spanId).toMatch(ID.span);
    expect([span.startTimeUnixNano, span.endTimeUnixNano].every((time) => ID.nanos.test(time))).toBe(true);
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  }
  return spans;
}

const attributesOf = ({ attributes }: Pick<Sent, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function environment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const TOLD = 'echo "$TRACEPARENT" >> ../told';
const TASK = {
  prompt: "Words of the prompt.",
  agent: command(`${TOLD}; echo "$CONVERGE_ITERATION" > n; echo words of the agent`),
  isolation: "off" as const,
};

it("exports one trace of run, iterations, agents and gates, continued after a resume", async () => {
  const server = await receiver();
  const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  environment({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${server.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=ab%20cd,other=2",
    OTEL_SERVICE_NAME: "nightly",
    OTEL_RESOURCE_ATTRIBUTES: "team=loop",
    TRACEPARENT: parent,
  });
  const box = sandbox();
  const place = { cwd: box.dir, home: box.home };
  const first = converge(
    {
      ...TASK,
      gates: [
        { name: "two", command: `${TOLD}; test "$(cat n)" = 2` },
        { name: "person", type: "approval" },
      ],
      baseline: false,
    },
    place,
  );
  expect((await first).state).toBe("waiting");
  const before = spansAt(server);
  expect(before.map(({ name }) => name)).not.toContain("run");
  const id = await first.id;
  await first.tell({ type: "approve", gate: "person", by: "me" });
  // Another process resumes the run without a trace context.
  environment({ TRACEPARENT: "" });
  expect((await converge({}, { ...place, resume: id })).outcome).toBe("converged");

  const spans = spansAt(server);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(["0af7651916cd43dd8448eb211c80319c"]));
  const [run] = spans.filter(({ name }) => name === "run");
  expect(run).toMatchObject({ parentSpanId: "b7ad6b7169203331", kind: 1, status: {} });
  expect(run && attributesOf(run)).toMatchObject({
    "converge.run": id,
    "converge.outcome": "converged",
    "converge.iterations": "2",
    "converge.score": 1,
  });
  const iterations = spans.filter(({ name }) => name === "baseline" || name === "iteration");
  expect(iterations.map((one) => attributesOf(one)["converge.iteration"])).toEqual(["0", "1", "2"]);
  expect(iterations.every(({ parentSpanId }) => parentSpanId === run?.spanId)).toBe(true);
  const agents = spans.filter(({ name }) => name === "agent");
  expect(agents.map(({ parentSpanId }) => parentSpanId)).toEqual(
    iterations.slice(1).map(({ spanId }) => spanId),
  );
  expect(agents[0] && attributesOf(agents[0])).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "command",
  });
  const gates = spans.filter(({ name }) => name === "gate");
  expect(gates.map(attributesOf).map((one) => [one["converge.gate"], one["converge.status"]])).toEqual([
    ["two", "failed"],
    ["person", "waiting"],
    ["two", "passed"],
    ["person", "waiting"],
    ["person", "passed"],
  ]);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);

  // Agents and gates get the trace context of their own span.
  const steps = [agents[0], gates[0], agents[1], gates[2]].map((span) => span?.spanId);
  expect(box.read("../told").trim().split("\n")).toEqual(
    steps.map((step) => `00-0af7651916cd43dd8448eb211c80319c-${step}-01`),
  );
  const [traces] = at(server, "/v1/traces");
  expect(traces?.headers).toMatchObject({
    "api-key": "ab cd",
    other: "2",
    "content-type": "application/json",
  });
  const [{ resource } = { resource: { attributes: [] } }] = (JSON.parse(traces?.body ?? "") as Traces)
    .resourceSpans;
  expect(attributesOf(resource)).toMatchObject({ "service.name": "nightly", team: "loop" });
  // Exports numbers and names, never anybody's text.
  expect(server.received.map(({ body }) => body).join()).not.toMatch(/Words of|words of|CONVERGE_ITERATION/);
});

it("exports metrics alone when traces are off, and passes no trace context on", async () => {
  const server = await receiver();
  environment({
    OTEL_EXPORTER_OTLP_ENDPOINT: "",
    OTEL_TRACES_EXPORTER: "none",
    TRACEPARENT: "",
  });
  const box = sandbox();
  const task = { ...TASK, gates: ["true"], requireChange: true, telemetry: { endpoint: server.url } };
  expect(await converge(task, { cwd: box.dir, home: box.home })).toMatchObject({ outcome: "converged" });
  expect(at(server, "/v1/traces")).toEqual([]);
  const { resourceMetrics } = JSON.parse(at(server, "/v1/metrics").at(-1)?.body ?? "{}");
  const metrics: Metric[] = resourceMetrics[0].scopeMetrics[0].metrics;
  expect(metrics.map(({ name }) => name)).toEqual([
    "converge.runs",
    "converge.iterations",
    "converge.gate.verdicts",
    "converge.agent.duration",
    "converge.gate.duration",
  ]);
  expect(metrics[0]).toMatchObject({
    unit: "{run}",
    sum: {
      isMonotonic: true,
      aggregationTemporality: 2,
      dataPoints: [
        { asDouble: 1, attributes: [{ key: "converge.outcome", value: { stringValue: "converged" } }] },
      ],
    },
  });
  const [time] = metrics[3]?.histogram?.dataPoints ?? [];
  expect(time?.bucketCounts.length).toBe((time?.explicitBounds.length ?? 0) + 1);
  expect(time?.bucketCounts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(time?.count));
  expect(fs.readFileSync(path.join(box.dir, "../told"), "utf8")).toBe("\n");
});

it("warns once about an unreachable collector, and sends nothing when switched off", async () => {
  const server = await receiver();
  await server.close();
  environment({ OTEL_EXPORTER_OTLP_ENDPOINT: server.url });
  const box = sandbox();
  const warned: string[] = [];
  const place = { cwd: box.dir, home: box.home, onWarning: (text: string) => warned.push(text) };
  const task = { ...TASK, gates: ["true"], protect: "off" as const };
  expect(await converge(task, place)).toMatchObject({ outcome: "converged" });
  expect(warned).toEqual([
    `telemetry: ${new URL(server.url).host}: ECONNREFUSED; the run continues without it`,
  ]);
  const off = await converge({ ...task, telemetry: "off" }, place);
  expect([off.outcome, warned.length]).toEqual(["converged", 1]);
});
