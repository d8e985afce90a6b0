// Trees as lists, so that trees of two repositories can be compared.

/** Path to "mode id". */
export type Listing = ReadonlyMap<string, string>;

/** What `ls-tree -r -z` prints: "mode type id TAB path". */
export function parseListing(raw: string): Listing {
  const entries = raw.split("\0").filter(Boolean);
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode, , id] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1), `${mode} ${id}`];
    }),
  );
}

/** Paths that are not the same in both. */
export function differing(one: Listing, other: Listing): string[] {
  const changed = [...one].filter(([path, entry]) => other.get(path) !== entry).map(([path]) => path);
  return [...changed, ...[...other.keys()].filter((path) => !one.has(path))];
}

/** A commit of another repository. */
export const isSubmodule = (entry: string | undefined): boolean => entry?.startsWith("160000 ") ?? false;

export const modeOf = (entry: string | undefined): string | undefined => entry?.split(" ")[0];
