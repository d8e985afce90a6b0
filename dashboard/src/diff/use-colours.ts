// Hook that highlights a file of a diff after it is drawn; skips files that would take long.
import { useEffect, useState } from "preact/hooks";
import type { Words } from "./coloured.ts";
import type { DiffFile } from "./parse.ts";

const MOST_CHARS = 150_000;
const LONGEST_LINE = 2000;

export function worthColours({ hunks }: DiffFile): boolean {
  let chars = 0;
  for (const { lines } of hunks)
    for (const { text } of lines) {
      chars += text.length;
      if (text.length > LONGEST_LINE || chars > MOST_CHARS) return false;
    }
  return chars > 0;
}

const NONE: Words = new Map();

export function useColours(file: DiffFile, open: boolean): Words {
  const [words, setWords] = useState(NONE);
  useEffect(() => {
    if (!open || !worthColours(file)) return;
    let left = false;
    const timer = setTimeout(async () => {
      // Highlighting is optional.
      const module = await import("./coloured.ts").catch(() => undefined);
      if (module && !left) setWords(module.coloured(file));
    }, 0);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [file, open]);
  return words;
}
