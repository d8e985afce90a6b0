// The import graph of src/, read by dependency-cruiser: modules, the rooms and the folders they lie in.
import path from "node:path";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import config from "../.dependency-cruiser.mjs";
import { root } from "./set-up.mjs";

export const roomOf = (source) => /^src\/([^/]+)\//.exec(source)?.[1];

/** All modules of src/, each with the modules of src/ that it imports. */
export async function importGraph() {
  const { output } = await cruise(["src"], { ...config.options, baseDir: root }, undefined, {
    tsConfig: extractTSConfig(path.join(root, "tsconfig.json")),
  });
  const modules = output.modules.filter(({ source }) => source.startsWith("src/"));
  return new Map(
    modules.map(({ source, dependencies }) => [
      source,
      [...new Set(dependencies.map(({ resolved }) => resolved).filter((to) => to.startsWith("src/")))],
    ]),
  );
}

/** The arrows between groups of modules: for each group, the other groups it imports. */
export function arrowsBetween(graph, groupOf) {
  const arrows = new Map();
  for (const [source, imports] of graph) {
    const from = groupOf(source);
    if (from === undefined) continue;
    const targets = arrows.get(from) ?? new Set();
    arrows.set(from, targets);
    for (const to of imports.map(groupOf)) if (to !== undefined && to !== from) targets.add(to);
  }
  return arrows;
}

/** The pairs of folders that import each other, parent and child included. */
export function mutualFolders(graph) {
  const arrows = arrowsBetween(graph, path.dirname);
  return [...arrows].flatMap(([from, targets]) =>
    [...targets].filter((to) => from < to && arrows.get(to)?.has(from)).map((to) => [from, to]),
  );
}
