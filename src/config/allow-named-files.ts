// A file that does not exist yet may be written when the prompt names it: "add a vitest.config.ts".
import fs from "node:fs";
import path from "node:path";
import { literal } from "#classify/shared/glob";
import type { Protection } from "#spec/task";
import { matcher } from "#workspaces/protect/matcher";
import { insideOf } from "./gate-files.ts";

const FILE_NAME = /[\w@.+-]*[\w@+-](?:\/[\w@.+-]+)*/g;
const MOST_NAMES = 500;

function namesIn(prompt: string, dir: string): string[] {
  const names = new Set(
    [...prompt.matchAll(FILE_NAME)].slice(0, MOST_NAMES).map(([name]) => name.replace(/^\.\//, "")),
  );
  return [...names].flatMap((name) => {
    const place = insideOf(dir, name.replace(/\.$/, ""));
    return place === undefined || fs.existsSync(path.join(dir, place)) ? [] : [place];
  });
}

export function allowNamedFiles(
  found: readonly Protection[],
  prompt: string,
  dir: string,
): readonly Protection[] {
  const names = namesIn(prompt, dir);
  if (names.length === 0) return found;
  return found.map((one) => {
    if (one.grows) return one;
    const { matches } = matcher(one);
    const allowed = names.filter(matches).map(literal);
    return allowed.length === 0 ? one : { ...one, except: [...(one.except ?? []), ...allowed] };
  });
}
