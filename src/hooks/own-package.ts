// Where this package lies, and how a shell calls its command.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { programsNamed } from "#system/which";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

export function inPackage(...parts: readonly string[]): string {
  return path.join(ROOT, ...parts);
}

const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** npm and npx put such folders on the path for as long as they run something. */
const isLasting = (program: string) => !/[\\/]node_modules[\\/]\.bin[\\/]/.test(program);

export interface OwnCommand {
  readonly command: string;
  /** Works wherever the package is installed; an absolute path only works here. */
  readonly portable: boolean;
}

/** `converge` when that leads to this very package; else Node and the program by their full paths. */
export function ownCommand(env: NodeJS.ProcessEnv): OwnCommand {
  const program = inPackage("bin", "converge.js");
  const [first] = programsNamed("converge", env.PATH ?? "").filter(isLasting);
  if (first !== undefined && fs.realpathSync(first) === fs.realpathSync(program))
    return { command: "converge", portable: true };
  return { command: `${shellWord(process.execPath)} ${shellWord(program)}`, portable: false };
}
