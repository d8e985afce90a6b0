// Reads the text files that a task names, and parses YAML into located values. Reports syntax errors, duplicate keys and
// exploding anchors with their location.
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";
import { show } from "#options/sentence";
import { plain } from "#text/plain-text";
import {
  emptyMap,
  FORBIDDEN_KEY,
  type Located,
  MAX_DEPTH,
  MAX_NODES,
  type Origin,
  type Problem,
} from "./located.ts";

const MAX_BYTES = 1024 * 1024;

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

/** Reads a regular UTF-8 file with a size limit. Returns a reason otherwise, never a truncated text. */
export async function readText(file: string): Promise<ReadText> {
  try {
    // Non-blocking, because opening a FIFO would hang.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return failRead("not a regular file");
    if (stat.size > MAX_BYTES) return failRead(`larger than ${MAX_BYTES} bytes`);
    return decode(await handle.readFile());
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { ok: false, missing: true, reason: "no such file" }
      : failRead(`cannot be read (${code})`);
  }
}

const failRead = (reason: string): ReadText => ({ ok: false, missing: false, reason });

function decode(bytes: Uint8Array): ReadText {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return failRead("not UTF-8 text");
  }
}

interface Source {
  readonly file: string;
  readonly missing: boolean;
  /** Absent when the file could not be read or is not YAML. */
  readonly tree?: Located;
  readonly problems: readonly Problem[];
}

/** Limit of reported syntax errors: one unclosed bracket can break every line below it, so only the first ones help. */
const MAX_SYNTAX_PROBLEMS = 5;

/** `displayName` is the name of the file in messages. */
export async function readSource(file: string, displayName: string): Promise<Source> {
  const read = await readText(file);
  if (!read.ok) return { file, missing: read.missing, problems: [{ at: displayName, message: read.reason }] };
  return { file, missing: false, ...parseSource(read.text, displayName, path.dirname(file)) };
}

export function parseSource(
  text: string,
  displayName: string,
  dir: string,
): Pick<Source, "tree" | "problems"> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${displayName}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const errors = [...document.errors, ...document.warnings].slice(0, MAX_SYNTAX_PROBLEMS);
  if (errors.length > 0)
    return {
      problems: errors.map(({ code, message, pos }) => ({
        at: at(pos[0]),
        message: SYNTAX[code] ?? plain(message),
      })),
    };
  return new Reader(document, at, dir).read();
}

const SYNTAX: Readonly<Partial<Record<string, string>>> = {
  DUPLICATE_KEY: "duplicate key; remove one of the two",
  MULTIPLE_DOCS: "a second document begins here; a task file is one document",
  RESOURCE_EXHAUSTION: "nested too deeply",
};

/** Converts one document. Counts the nodes, because aliases can multiply them exponentially. */
class Reader {
  readonly #document: Document;
  readonly #at: (offset: number) => string;
  readonly #dir: string;
  readonly #problems: Problem[] = [];
  #count = 0;

  constructor(document: Document, at: (offset: number) => string, dir: string) {
    this.#document = document;
    this.#at = at;
    this.#dir = dir;
  }

  read(): Pick<Source, "tree" | "problems"> {
    const top: Origin = { keyAt: this.#at(0), valueAt: this.#at(0), dir: this.#dir };
    const contents = this.#document.contents as Node | null;
    const empty = contents === null || (isScalar(contents) && contents.value === null);
    const tree = empty ? emptyMap(top) : this.#locate(contents, top.keyAt, 0);
    return this.#problems.length > 0 ? { problems: this.#problems } : { tree, problems: [] };
  }

  #locate(node: unknown, keyAt: string, depth: number): Located {
    const valueAt = this.#place(node) ?? keyAt;
    const origin: Origin = { keyAt, valueAt, dir: this.#dir };
    if (this.#problems.length > 0) return { ...origin, kind: "leaf", value: null };
    if (++this.#count > MAX_NODES || depth > MAX_DEPTH)
      return this.#addProblem(origin, "nested too deeply, or too many aliases");
    if (isAlias(node)) return this.#resolveAlias(node, origin, depth);
    if (isMap(node)) return { ...origin, kind: "map", entries: this.#entries(node.items, depth) };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#locate(item, this.#place(item) ?? valueAt, depth + 1));
      return { ...origin, kind: "list", items };
    }
    return { ...origin, kind: "leaf", value: isScalar(node) ? node.value : null };
  }

  #resolveAlias(alias: Alias, origin: Origin, depth: number): Located {
    const target = alias.resolve(this.#document);
    if (target === undefined) return this.#addProblem(origin, `unknown anchor "${plain(alias.source)}"`);
    // Problems are reported at the anchor, not at the alias.
    return this.#locate(target, origin.keyAt, depth + 1);
  }

  #entries(pairs: readonly { key: unknown; value: unknown }[], depth: number): Map<string, Located> {
    const entries = new Map<string, Located>();
    for (const { key, value } of pairs) {
      const keyAt = this.#place(key) ?? this.#at(0);
      const name = isScalar(key) ? String(key.value ?? "") : undefined;
      if (name === undefined || name === FORBIDDEN_KEY || entries.has(name))
        this.#problems.push({
          at: keyAt,
          message: `expected a key that is a plain name, got ${show(name ?? {})}`,
        });
      else entries.set(name, this.#locate(value, keyAt, depth + 1));
    }
    return entries;
  }

  #addProblem(origin: Origin, reason: string): Located {
    this.#problems.push({ at: origin.valueAt, message: reason });
    return { ...origin, kind: "leaf", value: null };
  }

  #place(node: unknown): string | undefined {
    const range = (node as Node | null | undefined)?.range;
    return range ? this.#at(range[0]) : undefined;
  }
}
