// A protected piece of a text file. Pieces are compared by key and content, so that the rest of the file stays free.

export interface Piece {
  /** What it is: pieces of one key are compared in order. */
  readonly key: string;
  /** Its content without what does not matter. */
  readonly text: string;
  /** Where it stands; both 0 for something that is no range of the text. */
  readonly start: number;
  readonly end: number;
  /** Another content that is as good: words added to a list. */
  readonly accepts?: (text: string) => boolean;
  /** It may be added where it was not there before: one more test. */
  readonly mayCome?: true;
}

export type ReadPieces = (text: string, name: string) => readonly Piece[];

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Accepts a text that has all words of the first one, and possibly more. */
export function acceptsMoreWords(text: string): (now: string) => boolean {
  return (now) => {
    const there = new Set(words(now));
    return words(text).every((word) => there.has(word));
  };
}

export const withoutBlanks = (text: string): string => text.replace(/\s+/g, " ").trim();
