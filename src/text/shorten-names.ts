// Shortens long names so that different names still look different.

function commonPrefix(one: readonly string[], other: readonly string[]): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at;
}

/** Where each name, of a sorted list, stops being like its neighbours. */
function distinctFrom(sorted: readonly (readonly string[])[], at: number): number {
  const name = sorted[at] ?? [];
  return Math.max(commonPrefix(name, sorted[at - 1] ?? []), commonPrefix(name, sorted[at + 1] ?? []));
}

/** Keeps the beginning and the characters around `from`. */
function window(name: readonly string[], from: number, chars: number, ellipsis: string): string {
  const start = Math.max(1, Math.floor(chars / 4));
  const rest = Math.max(1, chars - start - 2 * ellipsis.length);
  const wanted = from < start ? name.length - rest : from - Math.floor(rest / 4);
  const begin = Math.max(start, Math.min(wanted, name.length - rest));
  const end = begin + rest >= name.length ? "" : ellipsis;
  return [...name.slice(0, start), ellipsis, ...name.slice(begin, begin + rest), end].join("");
}

/** Each name with at most `chars` characters. What is cut out is the part it shares with others, or its middle. */
export function shortenNames(names: readonly string[], chars: number, ellipsis = "…"): readonly string[] {
  const sorted = [...new Set(names)].sort().map((name) => [...name]);
  const short = new Map(
    sorted.map((name, at) => {
      const from = distinctFrom(sorted, at);
      return [name.join(""), name.length <= chars ? name.join("") : window(name, from, chars, ellipsis)];
    }),
  );
  return names.map((name) => short.get(name) ?? name);
}
