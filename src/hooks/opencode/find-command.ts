// Where the plugin finds the command line: as it was told, beside itself in the package, or on the search path.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { which } from "#system/which";

/** Written in front of a copy of the plugin by `converge hook install opencode`. */
declare const CONVERGE_COMMAND: readonly string[] | undefined;

export interface Where {
  /** The option `command` of the plugin. */
  readonly option?: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file of the plugin itself. */
  readonly self: string;
}

export type Found = { readonly command: readonly string[] } | { readonly missing: string };

const INSTALL = "install it with `npm install -g converge-loop`";

/** One text is a path, which may hold blanks, or words with blanks between them. */
function words(command: unknown, searchPath: string): readonly string[] | undefined {
  if (typeof command === "string" && which(command, searchPath) !== undefined) return [command];
  const list = typeof command === "string" ? command.split(/\s+/).filter(Boolean) : command;
  const isList = Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === "string");
  return isList ? list : undefined;
}

/** As somebody has said it; what cannot be started is told, and nothing else is tried in its place. */
function told(command: unknown, by: string, searchPath: string): Found {
  const [program, ...args] = words(command, searchPath) ?? [];
  if (program === undefined)
    return { missing: `${by}: expected a program and its arguments, got ${JSON.stringify(command)}` };
  const file = which(program, searchPath);
  return file === undefined
    ? { missing: `${by}: there is no program ${program}; give its whole path, or ${INSTALL}` }
    : { command: [file, ...args] };
}

/** The command line of the package that `self` lies in: two folders up, as dist/opencode and plugins/opencode do. */
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

export function findCommand({ option, env, self }: Where): Found {
  const searchPath = env.PATH ?? "";
  if (option !== undefined) return told(option, 'the option "command"', searchPath);
  if (env.CONVERGE_COMMAND) return told(env.CONVERGE_COMMAND, "CONVERGE_COMMAND", searchPath);
  const own = ownProgram(self);
  const node = which("node", searchPath);
  // Not by what runs us: that is opencode's own runtime.
  if (own !== undefined && node !== undefined) return { command: [node, own] };
  const onPath = which("converge", searchPath);
  if (onPath !== undefined) return { command: [onPath] };
  if (typeof CONVERGE_COMMAND !== "undefined")
    return told(CONVERGE_COMMAND, "converge, as it was when this plugin was installed", searchPath);
  if (own !== undefined)
    return { missing: "Converge needs `node` (20.19 or newer) on the PATH, and there is none" };
  return { missing: `the command \`converge\` is not on the PATH; ${INSTALL}, and start opencode again` };
}
