// Finds the command line for the plugin: as configured, in its own package, or on the PATH.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { which } from "#system/which";

/** `converge hook install opencode` writes this constant in front of the plugin. */
declare const CONVERGE_COMMAND: readonly string[] | undefined;

export interface CommandSource {
  /** The option `command` of the plugin. */
  readonly option?: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file of the plugin itself. */
  readonly self: string;
}

export type CommandLookup = { readonly command: readonly string[] } | { readonly missing: string };

const INSTALL = "install it with `npm install -g converge-loop`";

/** Splits a command. A string is a path, which may contain blanks, or words separated by blanks. */
function splitCommand(command: unknown, searchPath: string): readonly string[] | undefined {
  if (typeof command === "string" && which(command, searchPath) !== undefined) return [command];
  const list = typeof command === "string" ? command.split(/\s+/).filter(Boolean) : command;
  const isList = Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === "string");
  return isList ? list : undefined;
}

/** Resolves a configured command. Reports one that cannot be started, without a fallback. */
function resolveConfigured(command: unknown, by: string, searchPath: string): CommandLookup {
  const [program, ...args] = splitCommand(command, searchPath) ?? [];
  if (program === undefined)
    return { missing: `${by}: expected a program and its arguments, got ${JSON.stringify(command)}` };
  const file = which(program, searchPath);
  return file === undefined
    ? { missing: `${by}: program ${program} not found; give its absolute path, or ${INSTALL}` }
    : { command: [file, ...args] };
}

/** Command line of the package that contains `self`, two folders up from dist/opencode or plugins/opencode. */
function ownProgram(self: string): string | undefined {
  const root = path.resolve(path.dirname(fileURLToPath(self)), "../..");
  const file = path.join(root, "bin", "converge.js");
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    return name === "converge-loop" && fs.existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

export function findCommand({ option, env, self }: CommandSource): CommandLookup {
  const searchPath = env.PATH ?? "";
  if (option !== undefined) return resolveConfigured(option, 'the option "command"', searchPath);
  if (env.CONVERGE_COMMAND) return resolveConfigured(env.CONVERGE_COMMAND, "CONVERGE_COMMAND", searchPath);
  const own = ownProgram(self);
  const node = which("node", searchPath);
  // Not process.execPath, which is opencode's own runtime.
  if (own !== undefined && node !== undefined) return { command: [node, own] };
  const onPath = which("converge", searchPath);
  if (onPath !== undefined) return { command: [onPath] };
  if (typeof CONVERGE_COMMAND !== "undefined")
    return resolveConfigured(
      CONVERGE_COMMAND,
      "converge, as found when this plugin was installed",
      searchPath,
    );
  if (own !== undefined) return { missing: "Converge needs `node` (20.19 or newer) on the PATH; install it" };
  return { missing: `the command \`converge\` is not on the PATH; ${INSTALL}, and restart opencode` };
}
