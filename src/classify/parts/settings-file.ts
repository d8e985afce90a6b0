// Parses TOML and INI files into sections of keys, enough to read a runner's settings and to compare a section.
import type { Piece, ReadPieces } from "./piece.ts";

interface Entry {
  /** The table and the key, joined with dots. */
  readonly path: string;
  readonly value: string;
}

interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly start: number;
  readonly end: number;
}

const HEADER = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/;

/** Normalizes a dotted key: dots outside quotes separate keys; quotes and spaces are dropped. */
const dotted = (text: string): string =>
  (text.match(/"[^"]*"|'[^']*'|[^.\s"']+/g) ?? []).map((part) => part.replace(/^["']|["']$/g, "")).join(".");

/** Whether brackets and triple quotes of a TOML value are closed. */
function isComplete(value: string): boolean {
  const triples = value.match(/"""|'''/g)?.length ?? 0;
  if (triples % 2 === 1) return false;
  const bare = value.replace(/"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'[^']*'|#[^\n]*/g, "");
  return (bare.match(/[[{]/g)?.length ?? 0) <= (bare.match(/[\]}]/g)?.length ?? 0);
}

const withoutComments = (value: string): string =>
  value
    .replace(/("(?:[^"\\]|\\.)*"|'[^']*')|#[^\n]*/g, (_, text: string | undefined) => text ?? "")
    .replace(/\s+/g, " ")
    .trim();

function entriesOf(lines: readonly string[], table: string, format: "toml" | "ini"): Entry[] {
  const entries: Entry[] = [];
  let open: { path: string; value: string } | undefined;
  const close = () => {
    if (open) entries.push({ path: open.path, value: withoutComments(open.value) });
    open = undefined;
  };
  for (const line of lines) {
    const continues = format === "toml" ? open && !isComplete(open.value) : open && /^\s+\S/.test(line);
    if (open && continues) {
      open.value += `\n${line}`;
      continue;
    }
    close();
    const [, key = "", value = ""] = /^\s*([^=:#;]+?)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (key) open = { path: table === "" ? dotted(key) : `${table}.${dotted(key)}`, value };
  }
  close();
  return entries;
}

function sectionsOf(text: string, format: "toml" | "ini"): readonly Section[] {
  const found: { name: string; lines: string[]; start: number; end: number }[] = [
    { name: "", lines: [], start: 0, end: 0 },
  ];
  let pending = "";
  for (const { 0: raw, index } of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    const line = raw.replace(/\r?\n$/, "");
    const header = pending === "" ? HEADER.exec(line)?.[1] : undefined;
    if (header !== undefined)
      found.push({
        name: format === "toml" ? dotted(header) : header,
        lines: [],
        start: index,
        end: index + raw.length,
      });
    else {
      // A line inside a multi-line value may look like a header.
      pending = pending === "" ? (/=\s*(.*)$/s.exec(line)?.[1] ?? "") : `${pending}\n${line}`;
      if (format === "ini" || isComplete(pending)) pending = "";
      const last = found.at(-1);
      last?.lines.push(line);
      if (last) last.end = index + raw.length;
    }
  }
  return found.map(({ name, lines, start, end }) => ({
    name,
    start,
    end,
    entries: entriesOf(lines, name, format),
  }));
}

const isBelow = (path: string, name: string): boolean => path === name || path.startsWith(`${name}.`);

function reader(format: "toml" | "ini"): ReadPieces {
  return (text, name) => {
    const sections = sectionsOf(text, format);
    const whole = sections.filter((section) => section.name !== "" && isBelow(section.name, name));
    const tables = whole.map(({ name: own, entries, start, end }): Piece => {
      const lines = entries.map(({ path, value }) => `${path} = ${value}`).sort();
      return { key: `[${own}]`, text: lines.join("\n"), start, end };
    });
    // Single keys of an otherwise unprotected table, and dotted keys or inline tables in a parent table.
    const keys = sections
      .filter((section) => !whole.includes(section))
      .flatMap(({ entries }) => entries)
      .filter(({ path, value }) => isBelow(path, name) || (value.startsWith("{") && isBelow(name, path)))
      .map(({ path, value }): Piece => ({ key: path, text: value, start: 0, end: 0 }));
    return [...tables.filter(({ text: content }) => content !== ""), ...keys];
  };
}

export const readTomlTable = reader("toml");
export const readIniSection = reader("ini");

/** The strings of a setting: `"a"`, `["a", 'b']`, or the words of an INI value. */
export function stringsAt(text: string, format: "toml" | "ini", path: string): string[] {
  const value = sectionsOf(text, format)
    .flatMap(({ entries }) => entries)
    .find((entry) => entry.path === path)?.value;
  if (value === undefined) return [];
  const quoted = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(
    ([, one, other]) => one ?? other ?? "",
  );
  return quoted.length > 0
    ? quoted.flatMap((one) => one.split(/\s+/))
    : value.split(/[\s,]+/).filter(Boolean);
}
