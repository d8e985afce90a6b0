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

describe("a record from another store", () => {
  it("is taken over hash for hash, listed, and goes on", async () => {
    const record = await recorded();
    const store = open();
    await store.adopt?.("a", record);
    expect(await store.record?.("a")).toEqual(record);
    expect(await store.runs()).toMatchObject([{ id: "a", workspace: "/projects/a" }]);
    await store.append("a", 2, [event("a", 3)]);
    expect((await store.read("a")).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("is refused when it does not hold together, or the run is here; nothing of it is kept", async () => {
    await refusesWhatDoesNotHold(open());
  });

  it("is read with the place it has here, while what is kept stays as it was", async () => {
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

  it("is not believed when its place was changed behind the store's back", async () => {
    const file = path.join(temporary(), "converge.db");
    const store = sqlite(file);
    await store.adopt?.("a", await recorded(), "/here");
    const database = openDatabase(file);
    database.exec("UPDATE places SET dir = '/elsewhere'");
    database.close();
    await expect(store.read("a")).rejects.toThrow(TamperedError);
  });

  it("does not make the run deaf: new commands have ids above those it has read", async () => {
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
