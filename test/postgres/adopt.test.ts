import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TamperedError } from "#spec/errors";
import { EVENT_VERSION } from "#spec/event";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { event, startedAt } from "#testing/store";
import { recorded, refusesWhatDoesNotHold } from "../support/adopting.ts";
import { execute, freshDatabase } from "../support/database.ts";
import { temporary } from "../support/folders.ts";

async function opened(): Promise<{ store: Store; url: string }> {
  const url = await freshDatabase();
  const store = postgres(url);
  onTestFinished(() => store.close());
  return { store, url };
}

describe("a record adopted from a file", () => {
  it("keeps its hashes, is listed, and continues in Postgres and in SQLite", async () => {
    const record = await recorded();
    const { store } = await opened();
    await store.adopt?.("a", record);
    expect(await store.record?.("a")).toEqual(record);
    expect(await store.runs()).toMatchObject([{ id: "a", workspace: "/projects/a" }]);
    await store.append("a", 2, [event("a", 3)]);
    const file = sqlite(path.join(temporary(), "converge.db"));
    await file.adopt?.("a", (await store.record?.("a")) ?? []);
    expect((await file.read("a")).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("is refused when its hash chain is broken or the run exists, and nothing is stored", async () => {
    await refusesWhatDoesNotHold((await opened()).store);
  });

  it("is read with its local workspace, while the stored record stays unchanged", async () => {
    const record = await recorded();
    const { store, url } = await opened();
    await store.adopt?.("a", record, "/here");
    expect((await store.read("a"))[0]).toMatchObject({ dir: "/here" });
    expect(await store.runs()).toMatchObject([{ workspace: "/here" }]);
    expect(await store.record?.("a")).toEqual(record);
    await store.place?.("a", "/there");
    expect((await store.read("a"))[0]).toMatchObject({ dir: "/there" });
    expect(await store.runs()).toMatchObject([{ workspace: "/there" }]);
    await execute(url, "UPDATE converge.places SET dir = '/elsewhere'");
    await expect(store.read("a")).rejects.toThrow(TamperedError);
  });

  it("gives new commands ids above those that the run has read", async () => {
    const queued = { id: 57, command: { type: "pause" as const } };
    const stamp = { v: EVENT_VERSION, run: "a", seq: 2, time: "", elapsedMs: 0 };
    const { store } = await opened();
    await store.adopt?.(
      "a",
      await recorded([startedAt("a", 0), { type: "command.received", queued, ...stamp }]),
    );
    await store.send("a", { type: "stop", reason: "enough" });
    await store.send("a", { type: "pause" });
    expect(await store.inbox("a", 57)).toMatchObject([
      { command: { type: "stop" } },
      { command: { type: "pause" } },
    ]);
  });
});
