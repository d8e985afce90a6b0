// What every store of logs that several machines share must keep to.
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, type LogPiece, MOST_LOGS, type SharedLogs } from "#spec/shared-logs";
import type { TestApi } from "./api.ts";

/** A place with no logs in it. */
export interface SharedLogsExample {
  readonly logs: SharedLogs;
  readonly dispose?: () => void | Promise<void>;
}

const FILE = "1/agent/stdout.log";
const LONG = 3 * (LOG_HEAD_BYTES + LOG_TAIL_BYTES);
const STEP = 300_000;

const here = (since = 1) => ({ file: FILE, origin: "here:/state", since });
const there = (since = 1) => ({ file: FILE, origin: "there:/state", since });
const piece = (at: number, text: string): LogPiece => ({ at, bytes: new TextEncoder().encode(text) });

/** No two places close to each other have the same byte. */
const long = Uint8Array.from({ length: LONG }, (_, at) => (at * 31 + (at >> 8)) % 251);

/** Told as text; what is left out as how many bytes. */
function told(pieces: readonly LogPiece[]): string {
  let at = 0;
  let text = "";
  for (const one of pieces) {
    if (one.at !== at) text += `<${one.at - at}>`;
    text += new TextDecoder().decode(one.bytes);
    at = one.at + one.bytes.length;
  }
  return text;
}

export function sharedLogsConformance(
  name: string,
  make: () => SharedLogsExample | Promise<SharedLogsExample>,
  { describe, it, expect }: TestApi,
): void {
  const test = (title: string, body: (logs: SharedLogs) => Promise<void>) =>
    it(title, async () => {
      const { logs, dispose } = await make();
      try {
        await body(logs);
      } finally {
        await dispose?.();
      }
    });

  describe(`${name} keeps the contract of shared logs`, () => {
    test("gives back what was kept, in order, from any place on, each run and file its own", async (logs) => {
      expect(await logs.keep("a", here(), [piece(0, "one "), piece(4, "two ")])).toEqual(true);
      await logs.keep("a", { ...here(), file: "1/tests/2/stderr.log" }, [piece(0, "other")]);
      await logs.keep("b", here(), [piece(0, "of b")]);
      await logs.keep("a", here(), [piece(8, "three")]);
      expect(told(await logs.read("a", FILE, 0))).toEqual("one two three");
      expect(told(await logs.read("a", FILE, 6))).toEqual("<6>o three");
      expect(await logs.read("a", FILE, 13)).toEqual([]);
      expect(told(await logs.read("b", FILE, 0))).toEqual("of b");
      expect(await logs.list("a")).toEqual([
        { file: FILE, origin: "here:/state", bytes: 13 },
        { file: "1/tests/2/stderr.log", origin: "here:/state", bytes: 5 },
      ]);
      expect([await logs.list("nobody"), await logs.read("a", "none", 0)]).toEqual([[], []]);
    });

    test("keeps every byte, whatever it is", async (logs) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      await logs.keep("a", here(), [{ at: 0, bytes }]);
      const [read] = await logs.read("a", FILE, 0);
      expect([...(read?.bytes ?? [])]).toEqual([...bytes]);
    });

    test("does not double what is sent again, and keeps nothing of what was there from then on", async (logs) => {
      await logs.keep("a", here(), [piece(0, "first "), piece(6, "second")]);
      await logs.keep("a", here(), [piece(6, "second")]);
      expect(told(await logs.read("a", FILE, 0))).toEqual("first second");
      await logs.keep("a", here(), [piece(3, "!")]);
      expect([told(await logs.read("a", FILE, 0)), (await logs.list("a"))[0]?.bytes]).toEqual(["fir!", 4]);
      await logs.keep("a", here(), [piece(0, "anew")]);
      expect(told(await logs.read("a", FILE, 0))).toEqual("anew");
    });

    test("drops what another origin kept, and heeds nobody who began earlier", async (logs) => {
      await logs.keep("a", here(3), [piece(0, "half of it, and mo"), piece(18, "re")]);
      expect(await logs.keep("a", there(7), [piece(0, "again")])).toEqual(true);
      expect(told(await logs.read("a", FILE, 0))).toEqual("again");
      expect(await logs.keep("a", here(3), [piece(20, " zombie")])).toEqual(false);
      expect(await logs.keep("a", here(3), [piece(0, "zombie")])).toEqual(false);
      expect(told(await logs.read("a", FILE, 0))).toEqual("again");
      expect(await logs.list("a")).toEqual([{ file: FILE, origin: "there:/state", bytes: 5 }]);
    });

    test("keeps the beginning and the end of a long log, however it comes", async (logs) => {
      for (let at = 0; at < LONG; at += STEP)
        await logs.keep("a", here(), [{ at, bytes: long.subarray(at, at + STEP) }]);
      await logs.keep("a", { ...here(), file: "2/agent/stdout.log" }, [{ at: 0, bytes: long }]);
      for (const file of [FILE, "2/agent/stdout.log"]) {
        const pieces = await logs.read("a", file, 0);
        const kept = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
        const isIn = (place: number) =>
          pieces.some(({ at, bytes }) => at <= place && place < at + bytes.length);
        const sound = pieces.every(
          ({ at, bytes }) => Buffer.compare(bytes, long.subarray(at, at + bytes.length)) === 0,
        );
        expect([sound, kept <= LOG_HEAD_BYTES + LOG_TAIL_BYTES + 2 * STEP]).toEqual([true, true]);
        const places = [0, LOG_HEAD_BYTES - 1, LONG / 2, LONG - LOG_TAIL_BYTES, LONG - 1];
        expect(places.map(isIn)).toEqual([true, true, false, true, true]);
      }
      expect((await logs.list("a")).map(({ bytes }) => bytes)).toEqual([LONG, LONG]);
    });

    test(`keeps no more than ${MOST_LOGS} logs of a run: the oldest go, with all that is in them`, async (logs) => {
      const file = (number: number) => `${number}/agent/stdout.log`;
      for (let number = 1; number <= MOST_LOGS + 2; number++)
        await logs.keep("a", { ...here(), file: file(number) }, [piece(0, "x")]);
      await logs.keep("a", { ...here(), file: file(5) }, [piece(1, "y")]);
      const files = (await logs.list("a")).map((log) => log.file);
      expect([files.length, files[0], files.at(-1)]).toEqual([MOST_LOGS, file(3), file(MOST_LOGS + 2)]);
      expect([await logs.read("a", file(2), 0), told(await logs.read("a", file(5), 0))]).toEqual([[], "xy"]);
    });
  });
}
