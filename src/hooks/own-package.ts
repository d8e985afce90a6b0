// Locates this package and the shell command that runs it.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { quoteWord } from "#system/shell";
import { programsNamed } from "#system/which";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

export function inPackage(...parts: readonly string[]): string {
  return path.join(ROOT, ...parts);
}

/** False for folders that npm and npx add to the PATH only while they run a command. */
const isPermanent = (program: string) => !/[\\/]node_modules[\\/]\.bin[\\/]/.test(program);

export interface OwnCommand {
  readonly command: string;
  /** True when the command works on every machine with the package; false for an absolute path. */
  readonly portable: boolean;
}

/** `converge` when it resolves to this package; else the absolute paths of Node and the program. */
export function ownCommand(env: NodeJS.ProcessEnv): OwnCommand {
  const program = inPackage("bin", "converge.js");
  const [first] = programsNamed("converge", env.PATH ?? "").filter(isPermanent);
  if (first !== undefined && fs.realpathSync(first) === fs.realpathSync(program))
    return { command: "converge", portable: true };
  return { command: `${quoteWord(process.execPath)} ${quoteWord(program)}`, portable: false };
}
