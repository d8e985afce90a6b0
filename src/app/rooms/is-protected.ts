// Whether a change of a file touches something that the task protects.
import fs from "node:fs";
import path from "node:path";
import picomatch from "picomatch";
import type { Protection, Task } from "#spec/task";

/** `before` and `now` are the folders with the file as it was and as it is. */
export function isProtected(name: string, protect: Task["protect"], before: string, now: string): boolean {
  if (!protect || protect.action === "allow") return false;
  return protect.paths.some(
    (protection) => covers(protection, name) && !sameValue(protection, name, before, now),
  );
}

function covers({ path: pattern }: Protection, name: string): boolean {
  // A folder covers what lies in it.
  return [pattern, path.join(pattern, "**")].some((glob) => picomatch.isMatch(name, glob, { dot: true }));
}

/** Only one value of the file may be protected. What cannot be read is not the same. */
function sameValue({ key }: Protection, name: string, before: string, now: string): boolean {
  if (key === undefined) return false;
  const was = valueIn(path.join(before, name), key);
  return was !== undefined && was === valueIn(path.join(now, name), key);
}

function valueIn(file: string, key: readonly string[]): string | undefined {
  try {
    if (!fs.lstatSync(file).isFile()) return undefined;
    const whole: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    const value = key.reduce((node, part) => (node as Record<string, unknown> | undefined)?.[part], whole);
    return JSON.stringify(value) ?? "absent";
  } catch {
    return undefined;
  }
}
