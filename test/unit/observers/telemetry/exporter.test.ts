import { expect, it } from "vitest";
import { createExporter } from "#observers/telemetry/exporter";
import type { Span } from "#observers/telemetry/spans";
import { type Receiver, receiver } from "../../../support/receiver.ts";
import { waitFor } from "../../../support/wait.ts";

function spans(from: number, count: number): Span[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ trace: "a".repeat(32), name: "gate", from: 0, to: 1, attributes: {}, isError: false },
    id: String(from + index).padStart(16, "0"),
  }));
}

function sent({ received }: Receiver): number[][] {
  return received.map(({ body }) =>
    JSON.parse(body).resourceSpans[0].scopeSpans[0].spans.map((span: { spanId: string }) =>
      Number(span.spanId),
    ),
  );
}

function exporterFor(server: Receiver) {
  const warned: string[] = [];
  const settings = { traces: { url: server.url, headers: {} }, resource: {}, timeoutMs: 5_000 };
  return { warned, ...createExporter(settings, (text) => warned.push(text)) };
}

it("retries the same spans while the collector fails, and warns once", async () => {
  const server = await receiver({ status: 503 }, { status: 503 }, {});
  const exporter = exporterFor(server);
  exporter.spans(spans(0, 512));
  await waitFor(() => exporter.warned.length === 1);
  exporter.spans(spans(512, 1));
  await waitFor(() => server.received.length === 2);
  await exporter.close();
  const [first = [], second, third, rest] = sent(server);
  expect(first).toHaveLength(512);
  expect([second, third, rest]).toEqual([first, first, [512]]);
  expect(exporter.warned).toEqual([
    `telemetry: ${new URL(server.url).host}: answered 503; the run continues without it`,
  ]);
});

it("drops the oldest spans when the queue is full, and does not retry rejected ones", async () => {
  const server = await receiver({ status: 400 }, {});
  const exporter = exporterFor(server);
  exporter.spans(spans(0, 3_000));
  await exporter.close();
  const all = sent(server);
  expect(all.flat()).toHaveLength(2_048);
  expect([all[0]?.[0], all.flat().at(-1)]).toEqual([3_000 - 2_048, 2_999]);
});
