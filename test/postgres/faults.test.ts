import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { ConflictError } from "#spec/errors";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { event, startedAt } from "#testing/store";
import { elsewhere, freshDatabase } from "../support/database.ts";
import { startServer } from "../support/postgres.ts";
import { type Cut, proxyTo } from "../support/proxy.ts";

const RESTARTS = 4;

const open = (url: string): Store => {
  const store = postgres(url);
  onTestFinished(() => store.close());
  return store;
};

async function throughProxy() {
  const url = await freshDatabase();
  const proxy = await proxyTo(url);
  const cut = elsewhere(url, (changed) => {
    changed.hostname = "127.0.0.1";
    changed.port = String(proxy.port);
  });
  return { proxy, store: open(cut), beside: open(url) };
}

const CUTS: readonly Cut[] = ["before", "at once", "answer"];

describe.each(CUTS)("a lost connection (%s)", (how) => {
  it("neither loses nor duplicates events, and the writer continues", async () => {
    const { proxy, store, beside } = await throughProxy();
    await store.append("a", 0, [startedAt("a", 0)]);
    for (const seq of [2, 3, 4]) {
      proxy.cut("INSERT INTO converge.events", how);
      await store.append("a", seq - 1, [event("a", seq)]);
    }
    expect(proxy.cuts()).toBe(3);
    expect(await beside.read("a")).toEqual([startedAt("a", 0), event("a", 2), event("a", 3), event("a", 4)]);
  });

  it("neither loses nor duplicates a command, even when the same one is sent twice", async () => {
    const { proxy, store, beside } = await throughProxy();
    const sent = await beside.send("a", { type: "pause" });
    proxy.cut("INSERT INTO converge.commands", how);
    const again = await store.send("a", { type: "pause" });
    expect([proxy.cuts(), await beside.inbox("a", 0)]).toEqual([1, [sent, again]]);
  });

  it("does not fail a read", async () => {
    const { proxy, store, beside } = await throughProxy();
    await beside.append("a", 0, [startedAt("a", 0)]);
    await store.runs();
    proxy.cut("FROM converge.events", how);
    expect([await store.read("a"), proxy.cuts()]).toEqual([[startedAt("a", 0)], 1]);
  });

  it("does not lose an adopted record", async () => {
    const { proxy, store, beside } = await throughProxy();
    await store.append("b", 0, [startedAt("b", 0), event("b", 2)]);
    const record = (await beside.record?.("b")) ?? [];
    const { proxy: other, store: target, beside: look } = await throughProxy();
    other.cut("INSERT INTO converge.events", how);
    await target.adopt?.("b", record);
    expect([await look.record?.("b"), other.cuts(), proxy.cuts()]).toEqual([record, 1, 0]);
  });
});

describe("a writer that lost its connection", () => {
  it("gets a ConflictError when another writer was first", async () => {
    const { proxy, store, beside } = await throughProxy();
    await store.append("a", 0, [startedAt("a", 0)]);
    await beside.append("a", 1, [event("a", 2, "the other")]);
    proxy.cut("INSERT INTO converge.events", "before");
    await expect(store.append("a", 1, [event("a", 2, "too late")])).rejects.toThrow(ConflictError);
    expect([(await beside.read("a")).length, proxy.cuts()]).toEqual([2, 1]);
  });
});

describe("a server restart", () => {
  it("neither loses nor duplicates concurrent writes", async () => {
    const server = await startServer(inject("postgresPrograms"));
    onTestFinished(server.dispose);
    const writer = open(server.url);
    const sender = open(server.url);
    let isOver = false;
    const texts: string[] = [];
    let seq = 0;
    const writing = (async () => {
      while (!isOver) await writer.append("a", seq, [event("a", ++seq)]);
    })();
    const sending = (async () => {
      while (!isOver) {
        const text = String(texts.length);
        await sender.send("a", { type: "steer", text });
        texts.push(text);
      }
    })();
    for (let restart = 0; restart < RESTARTS; restart++) {
      const before = [seq, texts.length];
      await server.stop(restart % 2 === 0 ? "fast" : "immediate");
      await server.start();
      // Both have written something before the next restart.
      while (seq <= (before[0] ?? 0) + 1 || texts.length <= (before[1] ?? 0) + 1) await sleep(5);
    }
    isOver = true;
    await Promise.all([writing, sending]);
    const reader = open(server.url);
    const written = Array.from({ length: seq }, (_, index) => event("a", index + 1));
    expect(await reader.read("a")).toEqual(written);
    const inbox = await reader.inbox("a", 0);
    expect(inbox.map(({ command }) => command)).toEqual(texts.map((text) => ({ type: "steer", text })));
  });
});
