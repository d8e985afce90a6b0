// Lists trees as maps, to compare trees of two repositories.

/** Path to "mode id". */
export type Listing = ReadonlyMap<string, string>;

/** Parses `ls-tree -r -z`: "mode type id TAB path". */
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

/** Paths that differ between the two. */
export function differing(one: Listing, other: Listing): string[] {
  const changed = [...one].filter(([path, entry]) => other.get(path) !== entry).map(([path]) => path);
  return [...changed, ...[...other.keys()].filter((path) => !one.has(path))];
}

/** Whether the entry is a commit of another repository. */
export const isSubmodule = (entry: string | undefined): boolean => entry?.startsWith("160000 ") ?? false;

export const modeOf = (entry: string | undefined): string | undefined => entry?.split(" ")[0];
