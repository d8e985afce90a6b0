// Conformance suite for log stores that several machines share.
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, type LogPiece, MOST_LOGS, type SharedLogs } from "#spec/shared-logs";
import type { TestApi } from "./api.ts";

/** An empty log store. */
export interface SharedLogsExample {
  readonly logs: SharedLogs;
  readonly dispose?: () => void | Promise<void>;
}

const FILE = "1/agent/stdout.log";
const LONG = 3 * (LOG_HEAD_BYTES + LOG_TAIL_BYTES);
const STEP = 300_000;

const firstWriter = (since = 1) => ({ file: FILE, origin: "here:/state", since });
const secondWriter = (since = 1) => ({ file: FILE, origin: "there:/state", since });
const piece = (at: number, text: string): LogPiece => ({ at, bytes: new TextEncoder().encode(text) });

/** Neighbouring positions have different bytes. */
const long = Uint8Array.from({ length: LONG }, (_, at) => (at * 31 + (at >> 8)) % 251);

/** Formats pieces as text, and a gap as its number of bytes. */
function formatPieces(pieces: readonly LogPiece[]): string {
  let at = 0;
  let text = "";
  for (const one of pieces) {
    if (one.at !== at) text += `<${one.at - at}>`;
    text += new TextDecoder().decode(one.bytes);
    at = one.at + one.bytes.length;
  }
  return text;
}

interface Suite {
  readonly test: (title: string, body: (logs: SharedLogs) => Promise<void>) => unknown;
  readonly expect: TestApi["expect"];
}

/** Storing and reading pieces. */
function testPieces({ test, expect }: Suite): void {
  test("returns stored pieces in order, from any offset, separately for each run and file", async (logs) => {
    expect(await logs.keep("a", firstWriter(), [piece(0, "one "), piece(4, "two ")])).toEqual(true);
    await logs.keep("a", { ...firstWriter(), file: "1/tests/2/stderr.log" }, [piece(0, "other")]);
    await logs.keep("b", firstWriter(), [piece(0, "of b")]);
    await logs.keep("a", firstWriter(), [piece(8, "three")]);
    expect(formatPieces(await logs.read("a", FILE, 0))).toEqual("one two three");
    expect(formatPieces(await logs.read("a", FILE, 6))).toEqual("<6>o three");
    expect(await logs.read("a", FILE, 13)).toEqual([]);
    expect(formatPieces(await logs.read("b", FILE, 0))).toEqual("of b");
    expect(await logs.list("a")).toEqual([
      { file: FILE, origin: "here:/state", bytes: 13 },
      { file: "1/tests/2/stderr.log", origin: "here:/state", bytes: 5 },
    ]);
    expect([await logs.list("nobody"), await logs.read("a", "none", 0)]).toEqual([[], []]);
  });

  test("stores any byte unchanged", async (logs) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await logs.keep("a", firstWriter(), [{ at: 0, bytes }]);
    const [read] = await logs.read("a", FILE, 0);
    expect([...(read?.bytes ?? [])]).toEqual([...bytes]);
  });

  test("overwrites from the offset of a piece that is sent again, without duplicates", async (logs) => {
    await logs.keep("a", firstWriter(), [piece(0, "first "), piece(6, "second")]);
    await logs.keep("a", firstWriter(), [piece(6, "second")]);
    expect(formatPieces(await logs.read("a", FILE, 0))).toEqual("first second");
    await logs.keep("a", firstWriter(), [piece(3, "!")]);
    expect([formatPieces(await logs.read("a", FILE, 0)), (await logs.list("a"))[0]?.bytes]).toEqual([
      "fir!",
      4,
    ]);
    await logs.keep("a", firstWriter(), [piece(0, "anew")]);
    expect(formatPieces(await logs.read("a", FILE, 0))).toEqual("anew");
  });
}

/** Several writers of one log. */
function testWriters({ test, expect }: Suite): void {
  test("replaces the log of an older writer, and rejects writers that started earlier", async (logs) => {
    await logs.keep("a", firstWriter(3), [piece(0, "half of it, and mo"), piece(18, "re")]);
    expect(await logs.keep("a", secondWriter(7), [piece(0, "again")])).toEqual(true);
    expect(formatPieces(await logs.read("a", FILE, 0))).toEqual("again");
    expect(await logs.keep("a", firstWriter(3), [piece(20, " zombie")])).toEqual(false);
    expect(await logs.keep("a", firstWriter(3), [piece(0, "zombie")])).toEqual(false);
    expect(formatPieces(await logs.read("a", FILE, 0))).toEqual("again");
    expect(await logs.list("a")).toEqual([{ file: FILE, origin: "there:/state", bytes: 5 }]);
  });
}

/** Limits of size and number. */
function testLimits({ test, expect }: Suite): void {
  test("keeps head and tail of a long log, however it is split", async (logs) => {
    for (let at = 0; at < LONG; at += STEP)
      await logs.keep("a", firstWriter(), [{ at, bytes: long.subarray(at, at + STEP) }]);
    await logs.keep("a", { ...firstWriter(), file: "2/agent/stdout.log" }, [{ at: 0, bytes: long }]);
    for (const file of [FILE, "2/agent/stdout.log"]) {
      const pieces = await logs.read("a", file, 0);
      const keptBytes = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const isIn = (place: number) =>
        pieces.some(({ at, bytes }) => at <= place && place < at + bytes.length);
      const isIntact = pieces.every(
        ({ at, bytes }) => Buffer.compare(bytes, long.subarray(at, at + bytes.length)) === 0,
      );
      expect([isIntact, keptBytes <= LOG_HEAD_BYTES + LOG_TAIL_BYTES + 2 * STEP]).toEqual([true, true]);
      const places = [0, LOG_HEAD_BYTES - 1, LONG / 2, LONG - LOG_TAIL_BYTES, LONG - 1];
      expect(places.map(isIn)).toEqual([true, true, false, true, true]);
    }
    expect((await logs.list("a")).map(({ bytes }) => bytes)).toEqual([LONG, LONG]);
  });

  test(`keeps at most ${MOST_LOGS} logs per run and deletes the oldest`, async (logs) => {
    const file = (number: number) => `${number}/agent/stdout.log`;
    for (let number = 1; number <= MOST_LOGS + 2; number++)
      await logs.keep("a", { ...firstWriter(), file: file(number) }, [piece(0, "x")]);
    await logs.keep("a", { ...firstWriter(), file: file(5) }, [piece(1, "y")]);
    const files = (await logs.list("a")).map((log) => log.file);
    expect([files.length, files[0], files.at(-1)]).toEqual([MOST_LOGS, file(3), file(MOST_LOGS + 2)]);
    expect([await logs.read("a", file(2), 0), formatPieces(await logs.read("a", file(5), 0))]).toEqual([
      [],
      "xy",
    ]);
  });
}

export function sharedLogsConformance(
  name: string,
  make: () => SharedLogsExample | Promise<SharedLogsExample>,
  { describe, it, expect }: TestApi,
): void {
  const test: Suite["test"] = (title, body) =>
    it(title, async () => {
      const { logs, dispose } = await make();
      try {
        await body(logs);
      } finally {
        await dispose?.();
      }
    });
  const suite: Suite = { test, expect };

  describe(`${name} conforms to the shared log contract`, () => {
    testPieces(suite);
    testWriters(suite);
    testLimits(suite);
  });
}
