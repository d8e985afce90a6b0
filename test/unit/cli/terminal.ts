// Minimal terminal emulator: supports the escape sequences of the painter and throws on any other.
import { Writable } from "node:stream";

interface Terminal {
  readonly stream: NodeJS.WriteStream;
  /** All lines including the scrollback, without the empty rows at the end. */
  readonly text: () => string[];
  readonly cursorShown: () => boolean;
  readonly wraps: () => boolean;
  readonly writes: () => number;
  readonly resize: (columns: number) => void;
}

const TOKEN = /\u001b\[(\??)(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/gu;

export function terminal(columns: number): Terminal {
  let rows: string[] = [""];
  let row = 0;
  let column = 0;
  let writes = 0;
  const modes = new Map([
    ["25", true],
    ["7", true],
    ["2026", false],
  ]);

  const commands: Record<string, (count: number, mode: string) => void> = {
    A: (count) => {
      row = Math.max(0, row - count);
    },
    K: () => {
      rows[row] = "";
    },
    m: () => {},
    h: (_count, mode) => modes.set(mode, true),
    l: (_count, mode) => modes.set(mode, false),
  };

  function print(text: string): void {
    const line = (rows[row] ?? "").padEnd(column);
    rows[row] = (line.slice(0, column) + text + line.slice(column + text.length)).slice(0, stream.columns);
    column += text.length;
  }

  function write(chunk: string): void {
    writes += 1;
    for (const [token, , digits = "", letter] of chunk.matchAll(TOKEN)) {
      if (token === "\r") column = 0;
      else if (token === "\n") {
        row += 1;
        column = 0;
        rows[row] ??= "";
      } else if (letter === undefined) print(token);
      else {
        const command = commands[letter];
        if (!command) throw new Error(`the painter wrote ${JSON.stringify(token)}`);
        command(Number(digits || 1), digits);
      }
    }
  }

  const sink = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  const stream = Object.assign(sink, { columns }) as unknown as NodeJS.WriteStream;

  /** Rewraps lines that became too long and keeps the cursor on its line, as terminals do. */
  function resize(next: number): void {
    const broken = rows.map((line) => line.match(new RegExp(`.{1,${next}}`, "gu")) ?? [""]);
    row = broken.slice(0, row).flat().length;
    rows = broken.flat();
    stream.columns = next;
  }

  return {
    stream,
    text: () => rows.join("\n").trimEnd().split("\n"),
    cursorShown: () => modes.get("25") === true,
    wraps: () => modes.get("7") === true && modes.get("2026") === false,
    writes: () => writes,
    resize,
  };
}
