// Layers over layers: maps are merged deeply, lists and single values replace what was below.
import { type Located, type LocatedMap, textOf } from "./located.ts";

/** Parts whose `type` decides what the other keys mean: another type replaces the lower layer's part entirely. */
const COMPONENTS = new Set(["agent", "strategy", "memory", "deliver"]);

/** `agent: claude` is short for `agent: {type: claude}`. */
const SHORTHAND = new Set([...COMPONENTS, "workspace", "isolation"]);

/** Maps that say one thing together: the upper layer's replaces the lower one's whole. */
const WHOLE = new Set(["by"]);

/** Two ways to say the same thing: the upper layer's way wins. */
const EITHER: Readonly<Record<string, string>> = {
  prompt: "promptFile",
  promptFile: "prompt",
  agent: "agents",
  agents: "agent",
};

export function mergeLayers(lower: LocatedMap, upper: LocatedMap): LocatedMap {
  const entries = new Map(lower.entries);
  for (const [key, value] of upper.entries) {
    const other = EITHER[key];
    if (other !== undefined && !upper.entries.has(other)) entries.delete(other);
    entries.set(key, mergeKey(key, entries.get(key), value));
  }
  return { ...lower, entries };
}

function mergeKey(key: string, lower: Located | undefined, upper: Located): Located {
  if (!SHORTHAND.has(key)) return merge(lower, upper);
  const above = expand(upper);
  if (lower === undefined) return above;
  const below = key === "workspace" ? withoutFolder(expand(lower), above) : expand(lower);
  return COMPONENTS.has(key) && typeChanges(below, above) ? above : merge(below, above, WHOLE);
}

/** A repository takes the place of a folder that a lower layer names, and of how that one is worked in. */
function withoutFolder(lower: Located, upper: Located): Located {
  if (lower.kind !== "map" || upper.kind !== "map" || !upper.entries.has("git")) return lower;
  return {
    ...lower,
    entries: new Map([...lower.entries].filter(([key]) => key !== "type" && key !== "dir")),
  };
}

function typeChanges(lower: Located, upper: Located): boolean {
  const type = upper.kind === "map" ? textOf(upper.entries.get("type")) : undefined;
  return type !== undefined && lower.kind === "map" && textOf(lower.entries.get("type")) !== type;
}

function merge(lower: Located | undefined, upper: Located, whole: ReadonlySet<string> = new Set()): Located {
  if (lower?.kind !== "map" || upper.kind !== "map") return upper;
  const entries = new Map(lower.entries);
  for (const [key, value] of upper.entries)
    entries.set(key, whole.has(key) ? value : merge(entries.get(key), value));
  return { ...upper, entries };
}

/** A type alone is a part without options. */
export function expand(node: Located): Located {
  if (textOf(node) === undefined) return node;
  const { keyAt, valueAt, dir } = node;
  return { keyAt, valueAt, dir, kind: "map", entries: new Map([["type", node]]) };
}
