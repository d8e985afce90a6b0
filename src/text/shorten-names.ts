// Shortens long names and keeps different names distinguishable.

function commonPrefix(one: readonly string[], other: readonly string[]): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at;
}

/** Index at which a name of a sorted list differs from both its neighbours. */
function distinctFrom(sorted: readonly (readonly string[])[], at: number): number {
  const name = sorted[at] ?? [];
  return Math.max(commonPrefix(name, sorted[at - 1] ?? []), commonPrefix(name, sorted[at + 1] ?? []));
}

interface NameLength {
  readonly chars: number;
  readonly ellipsis: string;
}

/** Keeps the beginning and the characters around `from`. */
function cutMiddle(name: readonly string[], from: number, { chars, ellipsis }: NameLength): string {
  const start = Math.max(1, Math.floor(chars / 4));
  const rest = Math.max(1, chars - start - 2 * ellipsis.length);
  const preferred = from < start ? name.length - rest : from - Math.floor(rest / 4);
  const begin = Math.max(start, Math.min(preferred, name.length - rest));
  const end = begin + rest >= name.length ? "" : ellipsis;
  return [...name.slice(0, start), ellipsis, ...name.slice(begin, begin + rest), end].join("");
}

/** Shortens each name to at most `chars` characters. Cuts out the part it shares with others, or its middle. */
export function shortenNames(names: readonly string[], chars: number, ellipsis = "…"): readonly string[] {
  const sorted = [...new Set(names)].sort().map((name) => [...name]);
  const short = new Map(
    sorted.map((name, at) => {
      const from = distinctFrom(sorted, at);
      return [
        name.join(""),
        name.length <= chars ? name.join("") : cutMiddle(name, from, { chars, ellipsis }),
      ];
    }),
  );
  return names.map((name) => short.get(name) ?? name);
}
