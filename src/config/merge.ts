// Merges layers: maps deeply, while lists and single values replace the lower layer's.
import { type Located, type LocatedMap, textOf } from "./located.ts";

/** Parts whose `type` decides the meaning of the other keys: another type replaces the lower layer's part entirely. */
const COMPONENTS = new Set(["agent", "strategy", "memory", "deliver"]);

/** `agent: claude` is short for `agent: {type: claude}`. */
const SHORTHAND = new Set([...COMPONENTS, "workspace", "isolation"]);

/** Maps that are never merged: the upper layer's replaces the lower one's. */
const ATOMIC_MAPS = new Set(["by"]);

/** Pairs of alternative keys: the upper layer's key wins. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  prompt: "promptFile",
  promptFile: "prompt",
  agent: "agents",
  agents: "agent",
};

export function mergeLayers(lower: LocatedMap, upper: LocatedMap): LocatedMap {
  const entries = new Map(lower.entries);
  for (const [key, value] of upper.entries) {
    const other = ALTERNATIVES[key];
    if (other !== undefined && !upper.entries.has(other)) entries.delete(other);
    entries.set(key, mergeKey(key, entries.get(key), value));
  }
  return { ...lower, entries };
}

function mergeKey(key: string, lower: Located | undefined, upper: Located): Located {
  if (!SHORTHAND.has(key)) return merge(lower, upper);
  const above = expand(upper);
  if (lower === undefined) return above;
  const below = key === "workspace" ? dropFolder(expand(lower), above) : expand(lower);
  return COMPONENTS.has(key) && hasOtherType(below, above) ? above : merge(below, above, ATOMIC_MAPS);
}

/** `git` of the upper layer removes `type` and `dir` of the lower one. */
function dropFolder(lower: Located, upper: Located): Located {
  if (lower.kind !== "map" || upper.kind !== "map" || !upper.entries.has("git")) return lower;
  return {
    ...lower,
    entries: new Map([...lower.entries].filter(([key]) => key !== "type" && key !== "dir")),
  };
}

function hasOtherType(lower: Located, upper: Located): boolean {
  const type = upper.kind === "map" ? textOf(upper.entries.get("type")) : undefined;
  return type !== undefined && lower.kind === "map" && textOf(lower.entries.get("type")) !== type;
}

function merge(lower: Located | undefined, upper: Located, atomic: ReadonlySet<string> = new Set()): Located {
  if (lower?.kind !== "map" || upper.kind !== "map") return upper;
  const entries = new Map(lower.entries);
  for (const [key, value] of upper.entries)
    entries.set(key, atomic.has(key) ? value : merge(entries.get(key), value));
  return { ...upper, entries };
}

/** Expands a type alone to a part without options. */
export function expand(node: Located): Located {
  if (textOf(node) === undefined) return node;
  const { keyAt, valueAt, dir } = node;
  return { keyAt, valueAt, dir, kind: "map", entries: new Map([["type", node]]) };
}
