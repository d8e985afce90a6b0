// A protected piece of a text file. Pieces are compared by key and content, so that the rest of the file may change.

export interface Piece {
  /** Identifies the piece; pieces with the same key are compared in order. */
  readonly key: string;
  /** The normalized content. */
  readonly text: string;
  /** Offsets in the text; both are 0 when the piece is not a range of it. */
  readonly start: number;
  readonly end: number;
  /** Whether other content is acceptable too, such as words added to a list. */
  readonly accepts?: (text: string) => boolean;
  /** The piece may be added, such as one more test. */
  readonly mayCome?: true;
}

export type ReadPieces = (text: string, name: string) => readonly Piece[];

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Accepts a text that has all words of the original, and possibly more. */
export function acceptsMoreWords(text: string): (now: string) => boolean {
  return (now) => {
    const there = new Set(words(now));
    return words(text).every((word) => there.has(word));
  };
}

export const withoutBlanks = (text: string): string => text.replace(/\s+/g, " ").trim();
