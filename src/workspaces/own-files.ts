// Finds Converge's own files in a workspace: they are not part of the work unless the user has committed them.
import fs from "node:fs";
import path from "node:path";
import { pathInside } from "#system/inside";
import { canBeIgnored } from "./shadow/ignore-rule.ts";
import { trackedFiles } from "./shadow/outputs.ts";

const OWN = /^(converge\.ya?ml|\.converge.*)$/;

/** The path relative to the folder; undefined when the file is outside. */
function inside(dir: string, file: string): string | undefined {
  const parent = path.dirname(file);
  if (!fs.existsSync(parent)) return undefined;
  return pathInside(dir, path.join(fs.realpathSync(parent), path.basename(file)));
}

/** Untracked files at the start of a run that the task was read from or that have one of Converge's file names. */
export async function findOwnFiles(dir: string, sources: readonly string[]): Promise<readonly string[]> {
  const named = fs.readdirSync(dir, { withFileTypes: true }).filter(({ name }) => OWN.test(name));
  const found = [
    ...sources.flatMap((file) => inside(dir, file) ?? []),
    ...named.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
  ].filter(canBeIgnored);
  if (found.length === 0) return [];
  const tracked = await trackedFiles(dir, found);
  const isTracked = (name: string) =>
    name.endsWith("/") ? [...tracked].some((file) => file.startsWith(name)) : tracked.has(name);
  return [...new Set(found)].filter((name) => !isTracked(name)).sort();
}
