// What is protected, as people write and read it: a path, and with `#` the keys that lead to one value in a JSON file.
import type { Protection } from "./task.ts";

/** A key that needs no quotes; any other is written like a JSON text: `package.json#exports."./core"`. */
const BARE = /^[^\s."#/*]+$/;

export function protectionName({ path, key }: Pick<Protection, "path" | "key">): string {
  if (!key) return path;
  return `${path}#${key.map((part) => (BARE.test(part) ? part : JSON.stringify(part))).join(".")}`;
}
