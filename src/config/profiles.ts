// Resolves the chosen profile and its `extends` chain, base first. Rejects a cycle and shows the chain.
import { unknownName } from "#text/nearest-name";
import { child, type Located, type LocatedMap, textOf } from "./located.ts";
import type { Problem } from "./problems.ts";

interface ProfileChoice {
  readonly layers: readonly LocatedMap[];
  readonly problems: readonly Problem[];
}

/** Validates all profiles, not only the chosen one, so that a cycle is found before it is used. */
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
  const layers = problems.length > 0 ? [] : chain(chosen.name, known, new Set());
  return { layers, problems };
}

function chain(
  name: string,
  known: ReadonlyMap<string, Located>,
  visited: Set<string>,
): readonly LocatedMap[] {
  const profile = known.get(name);
  if (profile?.kind !== "map" || visited.has(name)) return [];
  visited.add(name);
  const bases = basesOf(profile).flatMap((base) => chain(base.name, known, visited));
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
  const bases = child(profile, "extends");
  const nodes = bases?.kind === "list" ? bases.items : bases === undefined ? [] : [bases];
  return nodes.flatMap((node) => {
    const name = textOf(node);
    return name === undefined ? [] : [{ name, at: node.valueAt }];
  });
}
