import path from "node:path";
import { describe, expect, it } from "vitest";
import { TamperedError } from "#spec/errors";
import { EVENT_VERSION } from "#spec/event";
import type { Store } from "#spec/store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { openDatabase } from "#system/sqlite";
import { event, startedAt } from "#testing/store";
import { recorded, refusesWhatDoesNotHold } from "../../support/adopting.ts";
import { temporary } from "../../support/folders.ts";

const open = (): Store => sqlite(path.join(temporary(), "converge.db"));

describe("adopt", () => {
  it("imports a record hash for hash, lists the run, and the run can continue", async () => {
    const record = await recorded();
    const store = open();
    await store.adopt?.("a", record);
    expect(await store.record?.("a")).toEqual(record);
    expect(await store.runs()).toMatchObject([{ id: "a", workspace: "/projects/a" }]);
    await store.append("a", 2, [event("a", 3)]);
    expect((await store.read("a")).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("rejects an invalid record or an existing run, and stores nothing of it", async () => {
    await refusesWhatDoesNotHold(open());
  });

  it("reads events with the local workspace, while the stored entries stay unchanged", async () => {
    const record = await recorded();
    const store = open();
    await store.adopt?.("a", record, "/here");
    const [started] = await store.read("a");
    expect(started).toMatchObject({ dir: "/here", task: { workspace: { type: "in-place", dir: "/here" } } });
    expect(await store.runs()).toMatchObject([{ workspace: "/here" }]);
    expect(await store.record?.("a")).toEqual(record);
    await store.place?.("a", "/there");
    expect((await store.read("a"))[0]).toMatchObject({ dir: "/there" });
  });

  it("rejects a workspace path that was edited in the database", async () => {
    const file = path.join(temporary(), "converge.db");
    const store = sqlite(file);
    await store.adopt?.("a", await recorded(), "/here");
    const database = openDatabase(file);
    database.exec("UPDATE places SET dir = '/elsewhere'");
    database.close();
    await expect(store.read("a")).rejects.toThrow(TamperedError);
  });

  it("gives new commands ids above those the run has read", async () => {
    const queued = { id: 57, command: { type: "pause" as const } };
    const stamp = { v: EVENT_VERSION, run: "a", seq: 2, time: "", elapsedMs: 0 };
    const record = await recorded([startedAt("a", 0), { type: "command.received", queued, ...stamp }]);
    const store = open();
    await store.send("other", { type: "pause" });
    await store.adopt?.("a", record);
    await store.send("a", { type: "stop", reason: "enough" });
    expect(await store.inbox("a", 57)).toMatchObject([{ command: { type: "stop" } }]);
    expect(await store.inbox("other", 0)).toHaveLength(1);
  });
});
