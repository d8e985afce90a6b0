import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Command } from "#spec/command";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { openDatabase } from "#system/sqlite";
import { event, startedAt } from "#testing/store";
import { temporary } from "../../support/folders.ts";
import { refusal } from "../../support/refused-as-tampered.ts";
import { execute } from "../../support/tamper.ts";

const APPROVE: Command = { type: "approve", gate: "review", by: "me" };
const FORGED = JSON.stringify(APPROVE);
const place = () => path.join(temporary(), "converge.db");

async function filled(file: string, count = 3) {
  const store = sqlite(file);
  await store.append("a", 0, [
    startedAt("a", 0),
    ...Array.from({ length: count - 1 }, (_, index) => event("a", index + 2)),
  ]);
  return store;
}

describe("the error message", () => {
  it("names the run, the event, the file and the remedy", async () => {
    const file = place();
    const store = await filled(file);
    execute(file, "UPDATE events SET body = replace(body, 'go on', 'give up') WHERE seq = 2");
    const message = await refusal(store.read("a"));
    expect(message).toMatch(/run a was changed from outside: event 2 does not match its hash/);
    expect(message).toContain(file);
    expect(message).toMatch(/restore a backup or start a new run/);
    await store.close();
  });
});

describe("the inbox", () => {
  it("rejects a command that Converge did not write, and all that follow it", async () => {
    const file = place();
    const store = await filled(file);
    await store.send("a", { type: "pause" });
    execute(file, `INSERT INTO commands (run, body) VALUES ('a', '${FORGED}')`);
    await store.send("a", { type: "steer", text: "gently" });
    expect(await refusal(store.inbox("a", 0))).toMatch(/command 2 in its inbox does not match its hash/);
    expect(await refusal(store.inbox("a", 1))).toMatch(/command 2/);
    expect(await refusal(store.read("a"))).toMatch(/command 2/);
    await store.close();
  });

  it.each([
    ["changed", `UPDATE commands SET body = '${FORGED}' WHERE id = 1`],
    ["deleted", "DELETE FROM commands WHERE id = 1"],
    ["moved to another run", "UPDATE commands SET run = 'b'"],
    [
      "copied from another run",
      "INSERT INTO commands (run, body, hash) SELECT 'b', body, hash FROM commands",
    ],
  ])("rejects the inbox when a command was %s", async (_, change) => {
    const file = place();
    const store = await filled(file);
    await store.send("a", { type: "pause" });
    await store.send("a", { type: "pause" });
    execute(file, change);
    const run = change.includes("'b'") ? "b" : "a";
    expect(await refusal(store.inbox(run, 0))).toMatch(/in its inbox/);
    await store.close();
  });
});

describe("the list of runs", () => {
  it.each([
    ["UPDATE runs SET id = 'z'", /missing in the list of runs/],
    ["DELETE FROM runs", /missing in the list of runs/],
    ["DELETE FROM events", /its events are missing/],
  ])("is verified with the record: %s", async (change, what) => {
    const file = place();
    await (await filled(file)).close();
    execute(file, change);
    const store = sqlite(file);
    expect(await refusal(store.read("a"))).toMatch(what);
    await store.close();
  });

  it("tolerates invalid rows", async () => {
    const file = place();
    const store = await filled(file);
    execute(file, "INSERT INTO runs VALUES (x'ff00', x'00', 7), (char(27) || '[2Jq', '', '')");
    const ids = (await store.runs()).map(({ id }) => id);
    expect(ids).toContain("a");
    expect(ids).toContain("q");
    expect(ids.join("")).not.toContain("\u001b");
    await store.close();
  });
});

describe("the file", () => {
  const remove = (file: string) => fs.rmSync(file);
  const replace = (file: string) => {
    fs.copyFileSync(file, `${file}.copy`);
    fs.renameSync(`${file}.copy`, file);
  };
  it.each([
    ["removed", "", remove],
    ["replaced", "", replace],
    ["separated from its WAL", "-wal", remove],
    ["given a copied WAL", "-wal", replace],
    ["separated from its shared-memory index", "-shm", remove],
  ])("fails every read and write after it was %s while in use", async (_, part, change) => {
    const file = place();
    const store = await filled(file);
    change(file + part);
    const expected = /was removed or replaced while it was in use/;
    expect(await refusal(store.append("a", 3, [event("a", 4)]))).toMatch(expected);
    expect(await refusal(store.read("a"))).toMatch(expected);
    expect(await refusal(store.inbox("a", 0))).toMatch(expected);
    expect(await refusal(store.send("a", { type: "pause" }))).toMatch(expected);
    await store.close();
  });

  it("stays valid while other processes open, write, vacuum and close it", async () => {
    const file = place();
    const store = await filled(file);
    for (let seq = 4; seq < 8; seq++) {
      const other = sqlite(file);
      await other.append("a", seq - 1, [event("a", seq)]);
      await other.close();
      execute(file, "PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
      expect(await store.read("a", seq - 1)).toHaveLength(1);
    }
    await store.append("a", 7, [event("a", 8)]);
    await store.close();
  });
});

describe("a store without hashes (schema version 1)", () => {
  function old(file: string): void {
    execute(
      file,
      `CREATE TABLE events (
         run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)
       ) WITHOUT ROWID;
       CREATE TABLE runs (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, started_at TEXT NOT NULL) WITHOUT ROWID;
       CREATE TABLE commands (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL);
       CREATE INDEX commands_of_run ON commands (run, id);
       PRAGMA journal_mode=WAL; PRAGMA user_version=1`,
    );
    const database = openDatabase(file);
    for (const run of ["a", "b"]) {
      database.prepare("INSERT INTO runs VALUES (?, '/projects', '2026-01-01')").run(run);
      for (const one of [startedAt(run, 0), event(run, 2), event(run, 3)])
        database.prepare("INSERT INTO events VALUES (?, ?, ?)").run(run, one.seq, JSON.stringify(one));
      database.prepare("INSERT INTO commands (run, body) VALUES (?, ?)").run(run, FORGED);
    }
    database.close();
  }

  it("is migrated with its content unchanged, and its runs can continue", async () => {
    const file = place();
    old(file);
    const store = sqlite(file);
    expect(await store.read("a")).toEqual([startedAt("a", 0), event("a", 2), event("a", 3)]);
    await store.append("b", 3, [event("b", 4)]);
    expect(await store.read("b", 2)).toEqual([event("b", 3), event("b", 4)]);
    const sent = await store.send("a", { type: "pause" });
    expect(await store.inbox("a", 0)).toEqual([{ id: 1, command: APPROVE }, sent]);
    await store.close();
  });

  it("is verified after the migration", async () => {
    const file = place();
    old(file);
    await sqlite(file).close();
    execute(file, "UPDATE events SET body = replace(body, 'go on', 'give up') WHERE run = 'a' AND seq = 2");
    const store = sqlite(file);
    expect(await refusal(store.read("a"))).toMatch(/event 2/);
    expect(await store.read("b")).toHaveLength(3);
    await store.close();
  });

  it("cannot be faked by resetting user_version to get changed events accepted", async () => {
    const file = place();
    await (await filled(file)).close();
    execute(file, "UPDATE events SET body = replace(body, 'go on', 'give up'); PRAGMA user_version=1");
    expect(() => sqlite(file)).toThrow(/cannot use the store/);
  });
});
