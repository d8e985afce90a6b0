import { describe, expect, it, onTestFinished } from "vitest";
import type { SharedLogs } from "#spec/shared-logs";
import { postgres } from "#stores/postgres/postgres-store";
import { sharedLogsConformance } from "#testing/shared-logs";
import { elsewhere, execute, freshDatabase } from "../support/database.ts";
import { type Cut, proxyTo } from "../support/proxy.ts";

function open(url: string): SharedLogs {
  const store = postgres(url);
  onTestFinished(() => store.close());
  if (!store.logs) throw new Error("Postgres has no logs");
  return store.logs;
}

sharedLogsConformance("postgres", async () => ({ logs: open(await freshDatabase()) }), {
  describe,
  it,
  expect,
});

const LOG = { file: "1/agent/stdout.log", origin: "here:/state", since: 1 };
const piece = (at: number, text: string) => ({ at, bytes: Buffer.from(text) });

const CUTS: readonly Cut[] = ["before", "at once", "answer"];

describe.each(CUTS)("a lost connection (%s)", (how) => {
  it("neither loses nor duplicates what was appended to a log", async () => {
    const url = await freshDatabase();
    const proxy = await proxyTo(url);
    const cut = elsewhere(url, (changed) => {
      changed.hostname = "127.0.0.1";
      changed.port = String(proxy.port);
    });
    const logs = open(cut);
    const beside = open(url);
    await logs.keep("a", LOG, [piece(0, "one ")]);
    for (const [at, text] of [
      [4, "two "],
      [8, "three "],
    ] as const) {
      proxy.cut("INSERT INTO converge.logs", how);
      expect(await logs.keep("a", LOG, [piece(at, text)])).toBe(true);
    }
    expect(proxy.cuts()).toBe(2);
    const read = await beside.read("a", LOG.file, 0);
    expect(Buffer.concat(read.map(({ bytes }) => bytes)).toString()).toBe("one two three ");
    expect(await beside.list("a")).toMatchObject([{ bytes: 14 }]);
  });
});

describe("log rows in the database", () => {
  it("are at most 64 KiB long and are deleted with their log", async () => {
    const url = await freshDatabase();
    const logs = open(url);
    await logs.keep("a", LOG, [{ at: 0, bytes: Buffer.alloc(200_000, "x") }]);
    expect(
      await execute(
        url,
        "SELECT count(*)::int AS rows, max(length(bytes)) AS longest FROM converge.log_pieces",
      ),
    ).toEqual([{ rows: 4, longest: 65_536 }]);
    await execute(url, "DELETE FROM converge.logs");
    expect(await execute(url, "SELECT count(*)::int AS rows FROM converge.log_pieces")).toEqual([
      { rows: 0 },
    ]);
  });

  it("reads the chunks of one origin only when two write at the same time", async () => {
    const url = await freshDatabase();
    const logs = open(url);
    await logs.keep("a", { ...LOG, origin: "there:/state" }, [piece(0, "ours")]);
    await execute(
      url,
      "INSERT INTO converge.log_pieces (run, file, at, origin, bytes) VALUES ('a', '1/agent/stdout.log', 4, 'here:/state', 'theirs')",
    );
    expect(await logs.read("a", LOG.file, 0)).toHaveLength(1);
  });
});
