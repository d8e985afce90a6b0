import { describe, expect, it } from "vitest";
import { drawn, spaceOf } from "../../../dashboard/src/log/geometry.ts";
import { type Reader, reader } from "../../../dashboard/src/log/reader.ts";
import { CUT, rowsOf } from "../../../dashboard/src/log/rows.ts";
import { end, MAX_PIECES, PIECE_BYTES, rowCount, start } from "../../../dashboard/src/log/window.ts";

const ROW = 18;
const HEIGHT = 20 * ROW;
const LAYOUT = { wrap: false, columns: 80 };

/** An in-memory log of numbered lines that responds like the API: from the requested offset to the end of a line. */
function numbered(lines: number) {
  let log = Buffer.from(
    Array.from({ length: lines }, (_, at) => `${`line ${at + 1}`.padEnd(99)}\n`).join(""),
  );
  const requests: number[] = [];
  const source = async (wish: number, bytes: number) => {
    const from = wish < 0 ? Math.max(log.length + wish, 0) : Math.min(wish, log.length);
    requests.push(from);
    const stop = Math.min(from + bytes, log.length);
    const line = log.lastIndexOf(10, stop - 1) + 1;
    const to = stop === log.length || line <= from ? stop : line;
    return { text: log.subarray(from, to).toString(), from, to, bytes: log.length };
  };
  const add = (text: string) => {
    log = Buffer.concat([log, Buffer.from(text)]);
  };
  return { source, requests, add };
}

/** A log of 100 MB with lines of eight bytes, generated on request. */
function endless() {
  const lines = 12_500_000;
  const requests: number[] = [];
  const source = async (wish: number, bytes: number) => {
    const from = Math.floor((wish < 0 ? lines * 8 + wish : wish) / 8);
    const to = Math.min(from + Math.floor(bytes / 8), lines);
    requests.push(from);
    const text = Array.from({ length: to - from }, (_, at) => `${String(from + at + 1).padStart(7)}\n`).join(
      "",
    );
    return { text, from: from * 8, to: to * 8, bytes: lines * 8 };
  };
  return { source, requests };
}

function opened(source: ReturnType<typeof numbered>["source"]) {
  let top = 0;
  const viewport = {
    look: () => ({ top, height: HEIGHT, row: ROW }),
    scroll: (to: number) => {
      top = to;
    },
  };
  const log = reader(source, { viewport, layout: LAYOUT, onChange: () => {} });
  const scroll = (to: number) => {
    top = to;
    return log.moved();
  };
  return { log, scroll, top: () => top };
}

/** The lines that are visible at this scroll position. */
function visibleLines(log: Reader, top: number): string[] {
  const { window } = log.reading();
  const rows = window.pieces.flatMap((piece) => piece.rows);
  const first = Math.floor((top - spaceOf(window, ROW).above) / ROW);
  return rows.slice(Math.max(first, 0), first + HEIGHT / ROW).map((row) => row.trimEnd());
}

describe("rows of a log", () => {
  it("are lines, truncated when long with a count of the rest", () => {
    const rows = rowsOf(`a\nb\tc\r\n${"x".repeat(CUT + 5)}\n`, LAYOUT);
    expect(rows.slice(0, 2)).toEqual(["a", "b       c"]);
    expect(rows[2]).toBe(`${"x".repeat(CUT)} … 5 more characters`);
  });

  it("wrap at the column count, with wide characters counted twice", () => {
    const layout = { wrap: true, columns: 10 };
    expect(rowsOf("0123456789abc\n\nend", layout)).toEqual(["0123456789", "abc", "", "end"]);
    expect(rowsOf("漢字漢字漢字", layout)).toEqual(["漢字漢字漢", "字"]);
  });
});

describe("reading a log", () => {
  it("starts at its end and follows it as it grows", async () => {
    const { source, add } = numbered(50_000);
    const { log, top } = opened(source);
    await log.toEnd();
    expect(visibleLines(log, top()).at(-1)).toBe("line 50000");
    add("torn ");
    await log.grown();
    add("line\n");
    await log.grown();
    expect(visibleLines(log, top()).at(-1)).toBe("torn line");
    expect(log.reading().following).toBe(true);
  });

  it("stops following when scrolled up, keeps its position and returns to the end on demand", async () => {
    const { source, add } = numbered(50_000);
    const { log, scroll, top } = opened(source);
    await log.toEnd();
    await scroll(top() - 10 * ROW);
    const before = visibleLines(log, top());
    add("more\n".repeat(10_000));
    await log.grown();
    expect(log.reading().following).toBe(false);
    expect(visibleLines(log, top())).toEqual(before);
    await log.toEnd();
    expect(visibleLines(log, top()).at(-1)).toBe("more");
  });

  it("skips to the end when the log has grown far ahead", async () => {
    const { source, requests, add } = numbered(100);
    const { log, top } = opened(source);
    await log.toEnd();
    const before = requests.length;
    add("flood\n".repeat(2_000_000));
    await log.grown();
    expect(requests.length - before).toBeLessThan(6);
    expect(visibleLines(log, top()).at(-1)).toBe("flood");
  });

  it("scrolls upwards line by line without a gap or a jump", async () => {
    const { source } = numbered(50_000);
    const { log, scroll, top } = opened(source);
    await log.toEnd();
    let lowest = 49_981;
    for (let step = 0; step < 500; step++) {
      await scroll(top() - 15 * ROW);
      const lines = visibleLines(log, top()).map((line) => Number(line.slice(5)));
      expect(lines).toEqual(Array.from({ length: 20 }, (_, at) => (lines[0] ?? 0) + at));
      expect((lines[0] ?? 0) + 20).toBeGreaterThanOrEqual(lowest);
      lowest = lines[0] ?? 0;
    }
    expect(lowest).toBe(49_981 - 15 * 500);
  });

  it("jumps anywhere in a log of 100 MB with few requests", async () => {
    const { source, requests } = endless();
    const { log, scroll, top } = opened(source);
    await log.toEnd();
    const { window } = log.reading();
    const { above, inside, below } = spaceOf(window, ROW);
    expect(above + inside + below).toBeLessThan(16_000_000);
    for (const part of [0.5, 0.1, 0.9, 0.33]) {
      const before = requests.length;
      await scroll((above + inside + below) * part);
      expect(requests.length - before).toBeLessThan(5);
      const { window: now } = log.reading();
      expect(start(now) / now.bytes).toBeCloseTo(part, 1);
      expect(visibleLines(log, top())).toHaveLength(20);
    }
    await scroll(0);
    expect(visibleLines(log, top())[0]).toBe("      1");
  });

  it("limits the pieces in memory and the drawn rows, however far it scrolls", async () => {
    const { source } = numbered(60_000);
    const { log, scroll, top } = opened(source);
    await log.toEnd();
    await scroll(0);
    for (let step = 0; step < 200; step++) await scroll(top() + 250 * ROW);
    const { window } = log.reading();
    expect(start(window)).toBeGreaterThan(0);
    expect(window.pieces.length).toBeLessThanOrEqual(MAX_PIECES);
    const { first, last } = drawn(window, { top: top(), height: HEIGHT, row: ROW });
    expect(last - first).toBeLessThanOrEqual(62);
    expect(rowCount(window)).toBeGreaterThan(last - first);
  });

  it("reads a long log without line breaks completely", async () => {
    const log = Buffer.alloc(40 * PIECE_BYTES, "x");
    const source = async (wish: number, bytes: number) => {
      const from = wish < 0 ? log.length + wish : wish;
      const to = Math.min(from + bytes, log.length);
      return { text: log.subarray(from, to).toString(), from, to, bytes: log.length };
    };
    const { log: read } = opened(source);
    await read.toEnd();
    expect(end(read.reading().window)).toBe(log.length);
    expect(start(read.reading().window)).toBe(0);
  });

  it("restarts when the log is replaced, and reports an error until a request succeeds", async () => {
    let text = "first try\n".repeat(10);
    let broken = false;
    const source = async (wish: number, bytes: number) => {
      if (broken) throw new Error("gone");
      const from = Math.max(wish < 0 ? text.length + wish : wish, 0);
      const piece = text.slice(from, from + bytes);
      return { text: piece, from, to: from + piece.length, bytes: text.length };
    };
    const { log, top } = opened(source);
    await log.toEnd();
    text = "second\n";
    await log.grown();
    expect(visibleLines(log, top())).toEqual(["second"]);
    broken = true;
    await log.toEnd();
    expect(log.reading().error).toEqual(new Error("gone"));
    broken = false;
    await log.toEnd();
    expect(log.reading().error).toBeUndefined();
  });

  it("keeps its position when lines are wrapped", async () => {
    const { source } = numbered(50_000);
    const { log, scroll, top } = opened(source);
    await log.toEnd();
    await scroll(top() - 300 * ROW);
    const [before] = visibleLines(log, top());
    log.lay({ wrap: true, columns: 40 });
    expect(visibleLines(log, top())[0]).toBe(before);
  });
});
