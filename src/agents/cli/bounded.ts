// Bounded collections for reading endless output: message text, latest lines, refusals.

const MAX_CHARS = 100_000;
const MAX_LINES = 20;
const MAX_LINE_CHARS = 1_000;

/** Appends a piece of a message, up to the limit. */
export function appendBounded(text: string, piece: string): string {
  return `${text}${piece}`.slice(0, MAX_CHARS);
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
      lines.push(line.slice(0, MAX_LINE_CHARS));
      if (lines.length > MAX_LINES) lines.shift();
    },
    text: () => lines.join("\n"),
  };
}

const MAX_ENTRIES = 100;

export function pushBounded(list: string[], text: string): void {
  if (list.length < MAX_ENTRIES) list.push(text);
}
