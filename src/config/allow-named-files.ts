// Lets the agent create a protected file that does not exist yet when the prompt names it: "add a vitest.config.ts".
import fs from "node:fs";
import path from "node:path";
import { literal } from "#classify/shared/glob";
import type { Protection } from "#spec/task";
import { pathInside } from "#system/inside";
import { matcher } from "#workspaces/protect/matcher";

const FILE_NAME = /[\w@.+-]*[\w@+-](?:\/[\w@.+-]+)*/g;
const MAX_NAMES = 500;

function newFilesNamedIn(prompt: string, dir: string): string[] {
  const names = new Set(
    [...prompt.matchAll(FILE_NAME)].slice(0, MAX_NAMES).map(([name]) => name.replace(/^\.\//, "")),
  );
  return [...names].flatMap((name) => {
    const relative = pathInside(dir, name.replace(/\.$/, ""));
    return relative === undefined || fs.existsSync(path.join(dir, relative)) ? [] : [relative];
  });
}

export function allowNamedFiles(
  protections: readonly Protection[],
  prompt: string,
  dir: string,
): readonly Protection[] {
  const names = newFilesNamedIn(prompt, dir);
  if (names.length === 0) return protections;
  return protections.map((one) => {
    if (one.grows) return one;
    const { matches } = matcher(one);
    const allowed = names.filter(matches).map(literal);
    return allowed.length === 0 ? one : { ...one, except: [...(one.except ?? []), ...allowed] };
  });
}
