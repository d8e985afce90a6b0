// Merges layers, and resolves the layers of the chosen profile with its `extends` chain.
import { unknownName } from "#text/nearest-name";
import { child, itemsOf, type Located, type LocatedMap, type Problem, textOf } from "./located.ts";

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

/** Merges maps deeply; lists and single values replace those of the lower layer. */
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

interface ProfileChoice {
  readonly layers: readonly LocatedMap[];
  readonly problems: readonly Problem[];
}

/** Returns the layers of the chosen profile, base first. Validates all profiles, so that a cycle is found before it is used. */
export function chooseProfile(
  profiles: Located | undefined,
  chosen: { readonly name: string; readonly at: string } | undefined,
): ProfileChoice {
  const known = profiles?.kind === "map" ? profiles.entries : new Map<string, Located>();
  const problems = findCycles(known);
  if (chosen === undefined) return { layers: [], problems };
  if (!known.has(chosen.name)) {
    const message = unknownName("profile", chosen.name, [...known.keys()]);
    return { layers: [], problems: [...problems, { at: chosen.at, message }] };
  }
  const layers = problems.length > 0 ? [] : resolveChain(chosen.name, known, new Set());
  return { layers, problems };
}

function resolveChain(
  name: string,
  known: ReadonlyMap<string, Located>,
  visited: Set<string>,
): readonly LocatedMap[] {
  const profile = known.get(name);
  if (profile?.kind !== "map" || visited.has(name)) return [];
  visited.add(name);
  const bases = basesOf(profile).flatMap((base) => resolveChain(base.name, known, visited));
  const entries = new Map(profile.entries);
  entries.delete("extends");
  return [...bases, { ...profile, entries }];
}

function findCycles(known: ReadonlyMap<string, Located>): readonly Problem[] {
  const problems: Problem[] = [];
  const finished = new Set<string>();
  const visit = (name: string, ancestors: readonly string[]) => {
    const chain = [...ancestors, name];
    for (const base of basesOf(known.get(name))) {
      const message = baseProblem(base.name, chain, known);
      if (message !== undefined) problems.push({ at: base.at, message });
      else if (!finished.has(base.name)) visit(base.name, chain);
    }
    finished.add(name);
  };
  for (const name of known.keys()) if (!finished.has(name)) visit(name, []);
  return problems;
}

function baseProblem(base: string, chain: readonly string[], known: ReadonlyMap<string, Located>) {
  const where = `profiles.${chain.at(-1)}.extends`;
  if (!known.has(base)) return unknownName("profile", { name: base, where }, [...known.keys()]);
  if (!chain.includes(base)) return undefined;
  const cycle = [...chain.slice(chain.indexOf(base)), base];
  return `profiles extend each other in a cycle: ${cycle.join(" → ")}`;
}

function basesOf(profile: Located | undefined): readonly { readonly name: string; readonly at: string }[] {
  return itemsOf(child(profile, "extends")).flatMap((node) => {
    const name = textOf(node);
    return name === undefined ? [] : [{ name, at: node.valueAt }];
  });
}
