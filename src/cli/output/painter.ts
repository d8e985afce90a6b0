// Keeps a panel at the bottom of the terminal while lines scroll away above it. One write an update; between
// two updates the cursor stands at the start of the line below the panel.
import { stripVTControlCharacters } from "node:util";
import { width } from "./width.ts";

const CSI = "\u001b[";
const HIDE_CURSOR = `${CSI}?25l`;
const SHOW_CURSOR = `${CSI}?25h`;
const ERASE_LINE = `${CSI}2K`;
// Within one write only: a terminal that keeps them after a crash would be left broken.
const HOLD = `${CSI}?2026h`;
const SHOW = `${CSI}?2026l`;
const NO_WRAP = `${CSI}?7l`;
const WRAP = `${CSI}?7h`;

export interface Painter {
  /** Scrolls away above the panel, for good. Lines wider than the terminal are cut by it. */
  log(lines: readonly string[]): void;
  /** Replaces the panel. Its lines must not be wider than the terminal, nor as many as its rows. */
  draw(lines: readonly string[]): void;
  /** Takes the panel away and gives the cursor back. */
  clear(): void;
}

/** The rows that lines drawn (and cut) at one width take, now that the terminal may be narrower. */
function rowsOf(lines: readonly string[], drawnAt: number, columns: number): number {
  const visible = (line: string): number => Math.min(drawnAt, width(stripVTControlCharacters(line)));
  const rows = lines.map((line) => Math.ceil(visible(line) / columns));
  return rows.reduce((sum, each) => sum + Math.max(1, each), 0);
}

const up = (rows: number): string => (rows > 0 ? `${CSI}${rows}A` : "");

/**
 * Empties the rows from here on, and the one below them. Line by line: some terminals take "erase all below"
 * at the top of the screen as a cleared page, and would keep a copy of the old panel in their history.
 */
function erased(rows: number): string {
  return rows > 0 ? `${ERASE_LINE}\n`.repeat(rows) + ERASE_LINE + up(rows) : ERASE_LINE;
}

export function createPainter(stream: NodeJS.WriteStream): Painter {
  let panel: readonly string[] = [];
  let drawnAt = 0;
  let closed = false;
  // The reader has gone (EPIPE, a closed window). The run must not die of nobody looking at it.
  stream.on("error", () => {
    closed = true;
  });

  const columns = (): number => Math.max(1, stream.columns || 80);

  function update(logged: readonly string[], next: readonly string[]): void {
    const old = rowsOf(panel, drawnAt, columns());
    panel = next;
    drawnAt = columns();
    if (closed || stream.destroyed || stream.writableEnded) return;
    const lines = [...logged, ...next].map((line) => `${ERASE_LINE}${line}\n`).join("");
    const cursor = next.length > 0 ? HIDE_CURSOR : SHOW_CURSOR;
    const rest = erased(old - logged.length - next.length);
    stream.write(`${HOLD}${cursor}\r${up(old)}${NO_WRAP}${lines}${rest}${WRAP}${SHOW}`);
  }

  const shown = (lines: readonly string[]): boolean =>
    (lines.length === 0 || drawnAt === columns()) &&
    lines.length === panel.length &&
    lines.every((line, at) => line === panel[at]);

  return {
    log: (lines) => {
      if (lines.length > 0) update(lines, panel);
    },
    draw: (lines) => {
      if (!shown(lines)) update([], lines);
    },
    clear: () => {
      if (panel.length > 0) update([], []);
    },
  };
}
