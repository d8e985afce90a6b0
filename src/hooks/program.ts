// How other programs call us: by our name where a shell finds us by it, else by where we are.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { programsNamed } from "#system/which";

const BIN = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** `npx` and `npm run` put folders on the path that are not there later. */
function isLasting(program: string): boolean {
  return path.basename(path.dirname(path.dirname(program))) !== "node_modules";
}

function isOurs(program: string): boolean {
  return fs.realpathSync(program) === fs.realpathSync(BIN);
}

/** For a shell; arguments go behind it. */
export function program(env: NodeJS.ProcessEnv): string {
  const [first] = programsNamed("converge", env.PATH ?? "").filter(isLasting);
  return first !== undefined && isOurs(first) ? "converge" : `${quoted(process.execPath)} ${quoted(BIN)}`;
}
