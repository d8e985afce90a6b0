import { describe, expect, it } from "vitest";
import type { RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import { eventsOf, served, store } from "../../support/served.ts";
import { waitFor } from "../../support/wait.ts";

/** Appends the events of the run from `from` up to `to`. */
const more = (to: Store, events: readonly RunEvent[], from: number, until: number) =>
  to.append(events[0]?.run ?? "", from, events.slice(from, until));

const seqs = (data: readonly { seq: number }[]) => data.map(({ seq }) => seq);

describe("the stream of a run", () => {
  it("sends past events, then new ones, each with its sequence number", async () => {
    const all = await served();
    const events = eventsOf("arun", 2);
    await more(all.app.store, events, 0, 3);
    const stream = await all.listen("/runs/arun/stream");
    expect(stream.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    await stream.until("id: 3\n");
    await more(all.app.store, events, 3, 7);
    await stream.until("id: 7\n");
    await more(all.app.store, events, 7, 11);
    await stream.until("id: 11\n");
    expect(stream.data()).toEqual(events);
  });

  it("continues after Last-Event-ID", async () => {
    const all = await served();
    const events = eventsOf("arun", 2);
    await more(all.app.store, events, 0, 8);
    const [byHeader, byQuery, both] = await Promise.all([
      all.listen("/runs/arun/stream", { "last-event-id": "6" }),
      all.listen("/runs/arun/stream?after=7"),
      all.listen("/runs/arun/stream?after=2", { "last-event-id": "7" }),
    ]);
    await more(all.app.store, events, 8, 10);
    for (const stream of [byHeader, byQuery, both]) await stream.until("id: 10\n");
    expect([byHeader, byQuery, both].map((stream) => seqs(stream.data()))).toEqual([
      [7, 8, 9, 10],
      [8, 9, 10],
      [8, 9, 10],
    ]);
  });

  it("stays open after the run ends, because the run may be resumed", async () => {
    const all = await served();
    await store(all.app.store, "arun", 1);
    const stream = await all.listen("/runs/arun/stream");
    await stream.until("run.ended");
    const resumed = { ...eventsOf("arun", 1)[6 - 1], type: "run.resumed", host: "h", seq: 8 } as RunEvent;
    await all.app.store.append("arun", 7, [resumed]);
    await stream.until("run.resumed");
  });

  it("ends when the server closes", async () => {
    const all = await served();
    await store(all.app.store, "arun", 1);
    const stream = await all.listen("/runs/arun/stream");
    await stream.until("run.ended");
    await all.server.close();
    await stream.ended;
    expect(stream.response.complete).toBe(true);
  });
});

describe("stream clients", () => {
  it("are dropped with a reason when they are slow, while the others continue", async () => {
    const all = await served({ pace: { stallMs: 200 } });
    const events = eventsOf("arun", 16);
    const large = events.map((event) =>
      event.type === "iteration.started" ? { ...event, prompt: "y".repeat(1_000_000) } : event,
    );
    await more(all.app.store, large, 0, 1);
    const slow = await all.listen("/runs/arun/stream");
    await slow.until("id: 1\n");
    slow.response.pause();
    const quick = await all.listen("/runs/arun/stream");
    for (let at = 1; at < large.length; at += 5) await more(all.app.store, large, at, at + 5);
    await quick.until(`id: ${large.length}\n`);
    // More than the socket buffers hold: the rest is not sent, and the client times out.
    await waitFor(async () => (await all.ask("/metrics")).text.includes("converge_server_clients 1"));
    slow.response.resume();
    await slow.until("event: dropped\n");
    await slow.ended;
    expect(seqs(slow.data().filter((one) => "seq" in one)).length).toBeLessThan(large.length);
    expect(slow.text().slice(-200)).toMatch(/\n\nevent: dropped\ndata: {"reason":"[^"]+"}\n\n$/);
    expect(quick.data().length).toBe(large.length);
  });

  it("are rejected with 503 above the limit of clients", async () => {
    const all = await served({ mostClients: 2 });
    await store(all.app.store, "arun", 1);
    const first = await all.listen("/stream");
    await all.listen("/runs/arun/stream");
    const third = await all.ask("/stream");
    expect(third).toMatchObject({ status: 503, json: { error: { code: "too-many-clients" } } });
    first.close();
    await waitFor(async () => (await all.ask("/stream")).status === 200);
  });
});

describe("the stream of all runs", () => {
  it("reports new and changed runs, but not runs that existed before", async () => {
    const all = await served();
    const events = eventsOf("old", 2, { minute: 1 });
    await more(all.app.store, events, 0, 6);
    await store(all.app.store, "still", 1);
    const stream = await all.listen("/stream");
    await stream.until("retry:");
    await more(all.app.store, events, 6, 11);
    await stream.until('"iterations":2');
    await store(all.app.store, "fresh", 1, { minute: 2 });
    await stream.until('"id":"fresh"');
    const ids = stream.data().map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set(["old", "fresh"]));
    expect(stream.data().at(-1)).toMatchObject({
      id: "fresh",
      state: "stopped",
      iterations: 1,
      title: "Make the tests pass.",
    });
  });

  it("sends heartbeats", async () => {
    const all = await served({ pace: { heartbeatMs: 20 } });
    const stream = await all.listen("/stream");
    await stream.until(/(: still here\n\n.*){2}/s);
  });
});

describe("an incomplete request", () => {
  it("times out", async () => {
    const all = await served({
      times: { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 },
    });
    const { connect } = await import("node:net");
    const socket = connect(all.server.port, "127.0.0.1");
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes;
    });
    socket.write("GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });
});
