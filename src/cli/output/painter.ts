// Draws a panel at the bottom of the terminal while log lines scroll above it. Each update is one write; between
// updates, the cursor is at the start of the line below the panel.
import { stripVTControlCharacters } from "node:util";
import { width } from "./width.ts";

const CSI = "\u001b[";
const HIDE_CURSOR = `${CSI}?25l`;
const SHOW_CURSOR = `${CSI}?25h`;
const ERASE_LINE = `${CSI}2K`;
// Set and reset these modes within one write: a crash in between would leave the terminal broken.
const HOLD = `${CSI}?2026h`;
const SHOW = `${CSI}?2026l`;
const NO_WRAP = `${CSI}?7l`;
const WRAP = `${CSI}?7h`;

export interface Painter {
  /** Prints lines above the panel, where they scroll away. The terminal cuts lines that are too wide. */
  log(lines: readonly string[]): void;
  /** Replaces the panel. It must not be wider than the terminal, and must have fewer lines than it has rows. */
  draw(lines: readonly string[]): void;
  /** Erases the panel and shows the cursor again. */
  clear(): void;
}

/** Rows that lines drawn (and cut) at `drawnAt` columns occupy after a resize to `columns`. */
function rowsOf(lines: readonly string[], drawnAt: number, columns: number): number {
  const visible = (line: string): number => Math.min(drawnAt, width(stripVTControlCharacters(line)));
  const rows = lines.map((line) => Math.ceil(visible(line) / columns));
  return rows.reduce((sum, each) => sum + Math.max(1, each), 0);
}

const up = (rows: number): string => (rows > 0 ? `${CSI}${rows}A` : "");

/**
 * Erases `rows` rows and the one below, line by line: at the top of the screen, some terminals treat "erase below" as
 * a cleared page and save the old panel to their scrollback.
 */
function eraseRows(rows: number): string {
  return rows > 0 ? `${ERASE_LINE}\n`.repeat(rows) + ERASE_LINE + up(rows) : ERASE_LINE;
}

export function createPainter(stream: NodeJS.WriteStream): Painter {
  let panel: readonly string[] = [];
  let drawnAt = 0;
  let closed = false;
  // A broken pipe (EPIPE, a closed window) must not end the run.
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
    const rest = eraseRows(old - logged.length - next.length);
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
