import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { TooLargeError } from "#spec/errors";
import type { SharedPacks } from "#spec/shared-packs";
import { connectionTo } from "#stores/postgres/connection";
import { packsIn } from "#stores/postgres/packs";
import { postgres } from "#stores/postgres/postgres-store";
import { elsewhere, execute, freshDatabase } from "../support/database.ts";
import { type Cut, proxyTo } from "../support/proxy.ts";

const MIB = 1_048_576;
const TREE = "a".repeat(40);
const OTHER = "b".repeat(40);

function open(url: string): SharedPacks {
  const store = postgres(url);
  onTestFinished(() => store.close());
  if (!store.packs) throw new Error("it has no packs");
  return store.packs;
}

async function* bytes(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function all(packs: SharedPacks, run: string, number: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of packs.read(run, number)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const pieces = async (url: string) =>
  Number((await execute(url, "SELECT count(*) FROM converge.pack_pieces"))[0]?.count);

describe("packs", () => {
  it("returns packs of any size unchanged, in order and per run", async () => {
    const url = await freshDatabase();
    const packs = open(url);
    const large = randomBytes(2 * MIB + 17);
    const exact = randomBytes(MIB);
    await packs.keep("a", [TREE, OTHER], bytes(large.subarray(0, 100), large.subarray(100)));
    await packs.keep("a", [OTHER], bytes(exact));
    await packs.keep("b", [TREE], bytes(Buffer.from("small"), Buffer.from("er")));
    const beside = open(url);
    expect(await beside.list("a")).toEqual([
      { number: 1, trees: [TREE, OTHER], bytes: large.length },
      { number: 2, trees: [OTHER], bytes: MIB },
    ]);
    expect((await all(beside, "a", 1)).equals(large)).toBe(true);
    expect((await all(beside, "a", 2)).equals(exact)).toBe(true);
    expect(String(await all(beside, "b", 1))).toBe("smaller");
    expect([await beside.list("c"), await pieces(url)]).toEqual([[], 5]);
    await expect(all(beside, "b", 2)).rejects.toThrow(/run b has no pack 2/);
  });

  it("shows only complete packs and deletes the chunks of a failed one", async () => {
    const url = await freshDatabase();
    const packs = open(url);
    const seen: number[] = [];
    async function* breaking() {
      yield randomBytes(MIB);
      yield randomBytes(MIB);
      seen.push((await packs.list("a")).length, await pieces(url));
      throw new Error("the disk is gone");
    }
    await expect(packs.keep("a", [TREE], breaking())).rejects.toThrow("the disk is gone");
    expect([seen, await packs.list("a"), await pieces(url)]).toEqual([[0, 2], [], 0]);
  });

  it("keeps the packs of concurrent writers", async () => {
    const url = await freshDatabase();
    const writers = Array.from({ length: 8 }, () => open(url));
    await writers[0]?.list("a");
    await Promise.all(writers.map((packs, at) => packs.keep("a", [TREE], bytes(Buffer.from([at])))));
    const numbers = (await open(url).list("a")).map(({ number }) => number);
    const contents = await Promise.all(numbers.map(async (number) => (await all(open(url), "a", number))[0]));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(contents.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("refuses a pack that is too large, says what to do and leaves nothing behind", async () => {
    const url = await freshDatabase();
    const connection = connectionTo(url);
    onTestFinished(connection.close);
    const packs = packsIn(connection, 2 * MIB);
    await packs.keep("b", [TREE], bytes(Buffer.alloc(2 * MIB)));
    const keeping = packs.keep("a", [TREE], bytes(Buffer.alloc(2 * MIB), Buffer.alloc(1)));
    await expect(keeping).rejects.toThrow(TooLargeError);
    await expect(keeping).rejects.toThrow(/larger than 2 MiB.*workspace\.snapshots/);
    expect([await packs.list("a"), await pieces(url)]).toEqual([[], 2]);
  });

  it("detects a pack with missing chunks", async () => {
    const url = await freshDatabase();
    const packs = open(url);
    await packs.keep("a", [TREE], bytes(randomBytes(2 * MIB)));
    await execute(url, "DELETE FROM converge.pack_pieces WHERE at = 1");
    await expect(all(packs, "a", 1)).rejects.toThrow(/pack 1 of run a .* is incomplete/);
  });

  it("deletes chunks that a dead writer left long ago, and nothing else", async () => {
    const url = await freshDatabase();
    const packs = open(url);
    await packs.keep("a", [TREE], bytes(Buffer.from("old")));
    const left = (since: string) =>
      `INSERT INTO converge.pack_pieces (key, at, run, since, bytes) VALUES (gen_random_uuid(), 0, 'a', ${since}, '')`;
    await execute(
      url,
      "UPDATE converge.pack_pieces SET since = now() - interval '3 days'",
      left("now()"),
      left("now() - interval '2 days'"),
    );
    await packs.keep("a", [OTHER], bytes(Buffer.from("new")));
    expect([await pieces(url), String(await all(packs, "a", 1))]).toEqual([3, "old"]);
  });
});

describe.each<Cut>(["before", "at once", "answer"])("a lost connection (%s)", (how) => {
  it.each(["INSERT INTO converge.pack_pieces", "INSERT INTO converge.packs"])(
    "neither loses nor duplicates a pack: %s",
    async (words) => {
      const url = await freshDatabase();
      const proxy = await proxyTo(url);
      const packs = open(
        elsewhere(url, (changed) => {
          changed.hostname = "127.0.0.1";
          changed.port = String(proxy.port);
        }),
      );
      await packs.list("a");
      proxy.cut(words, how);
      await packs.keep("a", [TREE], bytes(Buffer.from("whole")));
      const beside = open(url);
      expect([proxy.cuts(), (await beside.list("a")).length, await pieces(url)]).toEqual([1, 1, 1]);
      expect(String(await all(beside, "a", 1))).toBe("whole");
    },
  );
});
