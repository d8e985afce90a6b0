// Finds tests inside source files: examples in Python docstrings, and blocks of vitest's `import.meta.vitest`.
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

/** An example begins with `>>>` and ends before a blank line or the end of its docstring. */
const EXAMPLE = /^[ \t]*>>> [^\n]*(?:\n(?![ \t]*(?:\n|$|>>> |"""|'''))[^\n]*)*/gm;

/** Each example with its expected output is a test; new examples are allowed. */
export const readDoctests: ReadPieces = (text) =>
  [...text.matchAll(EXAMPLE)].map(({ 0: example, index }): Piece => {
    const lines = example.split("\n").map((line) => line.trim().replace(/(?:"""|''')$/, ""));
    return {
      key: `example ${lines[0] ?? ""}`,
      text: lines.join("\n"),
      start: index,
      end: index + example.length,
      mayCome: true,
    };
  });

/** The block ends at a closing brace with the same indentation, as formatters write it, or at the end of the file. */
const BLOCK = /^([ \t]*)if\s*\(\s*import\.meta\.vitest\b[\s\S]*?(?:^\1\}[^\n]*|(?![\s\S]))/gm;

export const readVitestBlocks: ReadPieces = (text) =>
  [...text.matchAll(BLOCK)].map(({ 0: block, index }) => ({
    key: "import.meta.vitest",
    text: withoutBlanks(block),
    start: index,
    end: index + block.length,
  }));
