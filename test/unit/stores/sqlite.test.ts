import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { UsageError } from "#spec/errors";
import { EVENT_VERSION, type RunEvent } from "#spec/event";
import { openStore } from "#stores/sqlite/sqlite-schema";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { openDatabase } from "#system/sqlite";
import { temporary } from "../../support/folders.ts";

const execute = promisify(execFile);
const BUILT = fileURLToPath(new URL("../../../dist/stores/sqlite/sqlite-store.js", import.meta.url));

const event = (seq: number, prompt = "go on"): RunEvent => ({
  ...{ type: "iteration.started", iteration: seq, prompt },
  ...{ v: EVENT_VERSION, run: "a", seq, time: "2026-01-01T00:00:00.000Z", elapsedMs: 0 },
});

const place = () => path.join(temporary(), "state", "converge.db");
const modeOf = (file: string) => fs.statSync(file).mode & 0o777;
const pragma = (file: string, name: string) => {
  const database = openDatabase(file);
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>;
  database.close();
  return Object.values(row)[0];
};

/** A closed store with one run of several pages, checkpointed into a single file. */
async function filled(events = 50): Promise<string> {
  const file = place();
  const store = sqlite(file);
  await store.append(
    "a",
    0,
    Array.from({ length: events }, (_, index) => event(index + 1, "x".repeat(1_000))),
  );
  await store.close();
  const database = openDatabase(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return file;
}

/** Returns the error from opening the file, and checks that its bytes do not change. */
function refusal(file: string): string {
  const before = fs.readFileSync(file);
  let message = "";
  try {
    sqlite(file);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    message = (error as Error).message;
  }
  expect(fs.readFileSync(file).equals(before)).toBe(true);
  expect(message).toContain(file);
  return message;
}

describe("a new store", () => {
  it("creates a private folder (0700) and private files (0600)", async () => {
    const file = place();
    const store = sqlite(file);
    await store.append("a", 0, [event(1)]);
    expect(modeOf(path.dirname(file))).toBe(0o700);
    const files = fs.readdirSync(path.dirname(file));
    expect(files).toContain("converge.db-wal");
    for (const name of files)
      expect([name, modeOf(path.join(path.dirname(file), name))]).toEqual([name, 0o600]);
    await store.close();
  });

  it("can be created by many processes at once", async () => {
    const file = place();
    const script = `
      const { sqlite } = await import(process.argv[1]);
      const store = sqlite(process.argv[2]);
      await store.append(process.argv[3], 0, [{ type: "run.paused", seq: 1 }]);
      await store.close();`;
    const start = (index: number) =>
      execute(process.execPath, ["--input-type=module", "-e", script, BUILT, file, `run-${index}`]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => start(index)));
    const store = sqlite(file);
    for (let index = 0; index < 8; index++) expect(await store.read(`run-${index}`)).toHaveLength(1);
    await store.close();
  });
});

describe("opening a store", () => {
  it("sets WAL and full sync, also for an existing store", async () => {
    const file = await filled();
    for (let opening = 0; opening < 3; opening++) {
      const database = openStore(file);
      const settings = ["journal_mode", "synchronous"].map((name) =>
        Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>).at(0),
      );
      database.close();
      expect(settings).toEqual(["wal", 2]);
    }
  });

  it("reads the events written before", async () => {
    const file = await filled(3);
    const store = sqlite(file);
    expect((await store.read("a")).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await store.close();
  });

  it("reads the events that a killed process appended", async () => {
    const file = place();
    const script = `
      const { sqlite } = await import(process.argv[1]);
      const store = sqlite(process.argv[2]);
      for (let seq = 1; seq <= 5; seq++) await store.append("a", seq - 1, [{ type: "run.paused", seq }]);
      process.kill(process.pid, "SIGKILL");`;
    const run = execute(process.execPath, ["--input-type=module", "-e", script, BUILT, file]);
    await expect(run).rejects.toMatchObject({ signal: "SIGKILL" });
    const store = sqlite(file);
    expect(await store.read("a")).toHaveLength(5);
    await store.close();
  });
});

describe("the schema", () => {
  it("is created once and has a version", async () => {
    const file = await filled();
    expect(pragma(file, "user_version")).toBe(4);
    await sqlite(file).close();
    expect(pragma(file, "user_version")).toBe(4);
  });

  it("of a newer Converge is refused with a hint to update", async () => {
    const file = await filled();
    const database = openDatabase(file);
    database.exec("PRAGMA user_version=5; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    expect(refusal(file)).toMatch(/newer Converge \(schema 5, this one knows 4\); update Converge/);
    expect(pragma(file, "user_version")).toBe(5);
  });

  it("of an older Converge is migrated, with all its runs", async () => {
    const file = await filled();
    const database = openDatabase(file);
    database.exec("DROP TABLE lessons; DROP TABLE places; PRAGMA user_version=2");
    database.close();
    const store = sqlite(file);
    expect([await store.lessons(), (await store.read("a")).length > 0]).toEqual([[], true]);
    await store.close();
  });
});

describe("a file that is not a store", () => {
  it.each([
    ["text", Buffer.from("this is not a database, however often you read it\n".repeat(100))],
    ["random bytes", Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * 7919 + 13) % 256))],
    ["a few bytes", Buffer.from("SQLite")],
  ])("is refused with its path and a remedy, and left unchanged: %s", (_, bytes) => {
    const file = path.join(temporary(), "converge.db");
    fs.writeFileSync(file, bytes);
    expect(refusal(file)).toMatch(/not a database.*move the file away \(keep it as a backup\)/);
    expect(fs.readdirSync(path.dirname(file))).toEqual(["converge.db"]);
  });

  it.each([0, 1, 7])("is refused when it belongs to another program (user_version %i)", (version) => {
    const file = path.join(temporary(), "converge.db");
    const database = openDatabase(file);
    database.exec(`CREATE TABLE bookmarks (url TEXT); PRAGMA user_version=${version}`);
    database.close();
    expect(refusal(file)).toMatch(version === 7 ? /newer Converge/ : /another program.*move the file away/);
    expect(pragma(file, "journal_mode")).toBe("delete");
  });
});

describe("a damaged store", () => {
  it("is refused when it is truncated at any page", async () => {
    const whole = fs.readFileSync(await filled(100));
    expect(whole.length).toBeGreaterThan(20 * 4_096);
    for (let pages = 1; pages < whole.length / 4_096; pages++) {
      const file = path.join(temporary(), "converge.db");
      fs.writeFileSync(file, whole.subarray(0, pages * 4_096));
      expect(refusal(file)).toMatch(/malformed.*move the file away/);
    }
  });

  it("is refused when it is truncated within its first page", async () => {
    const whole = fs.readFileSync(await filled());
    for (const length of [16, 99, 100, 511, 512, 2_000, 4_095]) {
      const file = path.join(temporary(), "converge.db");
      fs.writeFileSync(file, whole.subarray(0, length));
      expect(refusal(file)).toMatch(/malformed|not a database/);
    }
  });

  it("names its path in every later error, and is not written to", async () => {
    const whole = fs.readFileSync(await filled(100));
    let failedReads = 0;
    for (let page = 1; page < whole.length / 4_096; page++) {
      const file = path.join(temporary(), "converge.db");
      const bytes = Buffer.from(whole);
      bytes.fill(0xff, page * 4_096, page * 4_096 + 64);
      fs.writeFileSync(file, bytes);
      const store = sqlite(file);
      const failure = await store.read("a").then(
        () => undefined,
        (error: Error) => error,
      );
      await store.close();
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
      if (!failure) continue;
      failedReads++;
      expect(["UsageError", "TamperedError"]).toContain(failure.name);
      expect(failure.message).toMatch(/malformed|changed from outside/);
      expect(failure.message).toContain(file);
    }
    expect(failedReads).toBeGreaterThan(10);
  });
});
