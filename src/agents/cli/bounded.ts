// What a reader keeps of output that has no end: the beginning of a message, the latest lines, the first refusals.

const CHARS = 100_000;
const LINES = 20;
const LINE_CHARS = 1_000;

/** Adds to a message that comes in pieces. */
export function joined(text: string, piece: string): string {
  return `${text}${piece}`.slice(0, CHARS);
}

export interface Lines {
  add(line: string): void;
  text(): string;
}

export function latestLines(): Lines {
  const lines: string[] = [];
  return {
    add: (line) => {
      if (line.trim() === "") return;
      lines.push(line.slice(0, LINE_CHARS));
      if (lines.length > LINES) lines.shift();
    },
    text: () => lines.join("\n"),
  };
}

const ENTRIES = 100;

export function keep(list: string[], text: string): void {
  if (list.length < ENTRIES) list.push(text);
}
