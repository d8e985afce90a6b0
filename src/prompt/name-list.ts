// Lists the names of all failing tests within a bound. A long list is grouped by common prefix.

import { oneLine } from "#text/plain-text";
import { shortenNames } from "#text/shorten-names";

const MAX_NAMES = 250;
const NAME_CHARS = 200;
/** Separators between file, class and test. */
const SEPARATORS = [" > ", " › ", " » ", "::", "#", " / ", ": "];
const SHORTEST_PREFIX = 8;

export interface NameList {
  readonly lines: readonly string[];
  /** Number of names that did not fit. */
  readonly left: number;
}

/** The name up to and including its last separator; empty if there is none or the prefix is short. */
function prefixOf(name: string): string {
  const end = Math.max(
    0,
    ...SEPARATORS.map((sign) => name.lastIndexOf(sign) + sign.length).filter(isInside(name)),
  );
  return end >= SHORTEST_PREFIX ? name.slice(0, end) : "";
}

const isInside = (name: string) => (end: number) => end > 2 && end < name.length;

/** Groups names by prefix, in order of first appearance. */
function groupByPrefix(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const prefix = prefixOf(name);
    groups.set(prefix, [...(groups.get(prefix) ?? []), name.slice(prefix.length)]);
  }
  return groups;
}

/** One line per name, plus a line for each shared prefix, which counts as no name. */
function groupedLines(
  names: readonly string[],
): readonly { readonly text: string; readonly names: number }[] {
  return [...groupByPrefix(names)].flatMap(([prefix, rests]) => {
    const short = shortenNames(rests, NAME_CHARS);
    if (prefix === "" || short.length === 1) return short.map((rest) => ({ text: prefix + rest, names: 1 }));
    return [{ text: prefix, names: 0 }, ...short.map((rest) => ({ text: `  ${rest}`, names: 1 }))];
  });
}

/** At most `chars` characters: whole names when they fit, else grouped by prefix. */
export function listNames(ids: readonly string[], chars: number): NameList {
  const names = ids.map((id) => oneLine(id, 2_000));
  const size = names.reduce((sum, name) => sum + name.length + 1, 0);
  if (names.length <= MAX_NAMES && size <= chars) return { lines: names, left: 0 };
  const lines: string[] = [];
  let left = names.length;
  let used = 0;
  for (const line of groupedLines(names)) {
    used += line.text.length + 1;
    if (used > chars || names.length - left + line.names > MAX_NAMES) break;
    lines.push(line.text);
    left -= line.names;
  }
  return { lines, left };
}
