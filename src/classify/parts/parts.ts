// Compares and restores the protected parts of a file.
import type { FilePart } from "#spec/task";
import { readCalls } from "./calls.ts";
import { readGradleTests } from "./gradle.ts";
import { readJustRecipe } from "./justfile.ts";
import { readMakeTarget } from "./makefile.ts";
import { readMavenTests } from "./maven.ts";
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";
import { readRustTests } from "./rust-tests.ts";
import { readIniSection, readTomlTable } from "./settings-file.ts";

/** `func TestMain` decides how all tests of a Go package run. */
const readGoMain: ReadPieces = (text) =>
  /^func TestMain\s*\(/m.test(text)
    ? [{ key: "TestMain", text: /^func TestMain\s*\([\s\S]*?^\}/m.exec(text)?.[0] ?? text, start: 0, end: 0 }]
    : [];

const readContent: ReadPieces = (text) =>
  text.trim() === "" ? [] : [{ key: "content", text, start: 0, end: text.length }];

/** An example begins with `>>>` and ends before a blank line or the end of its docstring. */
const EXAMPLE = /^[ \t]*>>> [^\n]*(?:\n(?![ \t]*(?:\n|$|>>> |"""|'''))[^\n]*)*/gm;

/** Each example with its expected output is a test; new examples are allowed. */
const readDoctests: ReadPieces = (text) =>
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

const readVitestBlocks: ReadPieces = (text) =>
  [...text.matchAll(BLOCK)].map(({ 0: block, index }) => ({
    key: "import.meta.vitest",
    text: withoutBlanks(block),
    start: index,
    end: index + block.length,
  }));

const READERS: Readonly<Record<FilePart["kind"], ReadPieces>> = {
  "make-target": readMakeTarget,
  "just-recipe": readJustRecipe,
  "rust-tests": readRustTests,
  toml: readTomlTable,
  ini: readIniSection,
  calls: readCalls,
  "maven-tests": readMavenTests,
  "gradle-tests": readGradleTests,
  doctests: readDoctests,
  "vitest-blocks": readVitestBlocks,
  "go-main": readGoMain,
  content: readContent,
};

export const readPieces = ({ kind, name = "" }: FilePart, text: string): readonly Piece[] =>
  READERS[kind](text, name);

export interface PieceChange {
  readonly before?: string;
  readonly now?: string;
}

function byKey(pieces: readonly Piece[]): Map<string, Piece[]> {
  const groups = new Map<string, Piece[]>();
  for (const piece of pieces) groups.set(piece.key, [...(groups.get(piece.key) ?? []), piece]);
  return groups;
}

/** Protected pieces that were changed or removed, and new ones that are not allowed. */
export function changedPieces(part: FilePart, before: string, now: string): readonly PieceChange[] {
  const were = byKey(readPieces(part, before));
  const are = byKey(readPieces(part, now));
  const keys = new Set([...were.keys(), ...are.keys()]);
  return [...keys].flatMap((key) => {
    const old = were.get(key) ?? [];
    const present = are.get(key) ?? [];
    if (old.length === 0 && present.every(({ mayCome }) => mayCome)) return [];
    const count = Math.max(old.length, present.length);
    return Array.from({ length: count }, (_, at): PieceChange[] => {
      const [was, is] = [old[at], present[at]];
      if (was && is && (was.text === is.text || was.accepts?.(is.text))) return [];
      return [{ ...(was && { before: was.text }), ...(is && { now: is.text }) }];
    }).flat();
  });
}

const isRange = ({ start, end }: Piece): boolean => end > start;

/** Replaces each piece by the sealed one with the same key, removes disallowed new pieces and appends missing ones. */
function replaced(part: FilePart, before: string, now: string): string | undefined {
  const were = byKey(readPieces(part, before));
  const present = [...readPieces(part, now)].sort((one, other) => one.start - other.start);
  let text = "";
  let at = 0;
  for (const piece of present.filter(isRange)) {
    const sealed = were.get(piece.key)?.shift();
    const kept = piece.mayCome ? now.slice(piece.start, piece.end) : "";
    text += now.slice(at, piece.start) + (sealed ? before.slice(sealed.start, sealed.end) : kept);
    at = piece.end;
  }
  text += now.slice(at);
  const missing = [...were.values()].flat().filter(isRange);
  const rest = missing.map(({ start, end }) => `\n${before.slice(start, end).trimEnd()}\n`).join("");
  return rest === "" ? text : `${text.trimEnd()}\n${rest}`;
}

/** Restores the protected pieces in the present text; undefined when only the whole sealed file would do. */
export function restoredPieces(part: FilePart, before: string, now: string): string | undefined {
  const text = replaced(part, before, now);
  return text !== undefined && changedPieces(part, before, text).length === 0 ? text : undefined;
}
