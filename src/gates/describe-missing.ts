// Describes what a gate is missing, what to do, and whether an agent could have caused it.
import fs from "node:fs";
import path from "node:path";
import { isInside } from "#system/inside";
import { describeInterpreterProblem } from "#system/runnable";
import { splitWords } from "#system/shell";
import { which } from "#system/which";
import { nearest } from "#text/nearest-name";
import { oneLine } from "#text/plain-text";
import type { Missing } from "./find-missing.ts";

export interface Lack {
  readonly reason: string;
  /**
   * An agent can break files in the workspace but cannot repair the machine. Unknown: a script of the workspace calls
   * a program that is not on PATH.
   */
  readonly where: "workspace" | "machine" | "unknown";
}

export interface GatePlace {
  readonly command: string | readonly string[];
  /** The judged files. */
  readonly dir: string;
  /** The folder that the command runs in. */
  readonly cwd: string;
  readonly searchPath: string;
}

const NAME_CHARS = 200;

/** Tools that start programs from the workspace or from the project's environment, with their install command. */
const INSTALLERS: Readonly<Record<string, string>> = {
  npm: "npm install",
  npx: "npm install",
  pnpm: "pnpm install",
  yarn: "yarn install",
  bun: "bun install",
  bunx: "bun install",
  uv: "uv sync",
  poetry: "poetry install",
  pdm: "pdm install",
  bundle: "bundle install",
  composer: "composer install",
};

const wordsOf = (command: GatePlace["command"]): readonly string[] =>
  typeof command === "string" ? splitWords(command).flat() : command;

/** "; check the command (did you mean pytest?)" */
function checkCommand(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `check the command${near === undefined ? "" : ` (did you mean ${near}?)`}`;
}

function programsOn(searchPath: string): string[] {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.flatMap((folder) => {
    try {
      return fs.readdirSync(folder);
    } catch {
      return [];
    }
  });
}

function scriptsIn(cwd: string): string[] {
  try {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(cwd, "package.json"), "utf8"));
    return Object.keys(scripts ?? {});
  } catch {
    return [];
  }
}

function targetsIn(cwd: string): string[] {
  for (const name of ["GNUmakefile", "makefile", "Makefile", "justfile", "Justfile"])
    try {
      const text = fs.readFileSync(path.join(cwd, name), "utf8");
      return [...text.matchAll(/^([\w.-]+)(?: [^:=\n]*)?:(?!=)/gm)].map(([, target = ""]) => target);
    } catch {
      // No such file: try the next name.
    }
  return [];
}

/** Whether PATH has a folder inside the workspace, such as a virtual environment. */
function searchesInside({ searchPath, dir }: GatePlace): boolean {
  return searchPath.split(path.delimiter).some((folder) => path.isAbsolute(folder) && isInside(dir, folder));
}

function programLack(name: string, place: GatePlace): Lack {
  const words = wordsOf(place.command);
  const installer = words.map((word) => INSTALLERS[word]).find((each) => each !== undefined);
  const isOwn = words.includes(name);
  if (name === "" || (installer !== undefined && !isOwn)) {
    const what = name === "" ? "a program that it starts: command not found" : `${name}: command not found`;
    const fix = installer === undefined ? "install it" : `install the dependencies (${installer})`;
    return { reason: `${what}; ${fix}`, where: "workspace" };
  }
  if (name.includes("/")) {
    const file = path.resolve(place.cwd, name);
    const why = describeInterpreterProblem(file, name) ?? `${name}: command not found; check the command`;
    return { reason: why, where: isInside(place.dir, file) ? "workspace" : "machine" };
  }
  const fix = isOwn ? checkCommand(name, programsOn(place.searchPath)) : "install it";
  const reason = `${name}: command not found; ${fix}`;
  if (searchesInside(place) || which(name, place.searchPath) !== undefined)
    return { reason, where: "workspace" };
  return { reason, where: isOwn ? "machine" : "unknown" };
}

export function describeMissing({ kind, name: rawName }: Missing, place: GatePlace): Lack {
  const name = oneLine(rawName, NAME_CHARS);
  const fileAt = path.resolve(place.cwd, name);
  const where = !path.isAbsolute(name) || isInside(place.dir, fileAt) ? "workspace" : "machine";
  switch (kind) {
    case "program":
      return programLack(name, place);
    case "permission":
      if (name === "") return { reason: "it cannot be executed (exit 126)", where };
      return { reason: `${name} cannot be executed; run: chmod +x ${name}`, where };
    case "module":
      return {
        reason: `python has no module ${name}; install it, or check the command`,
        where: searchesInside(place) ? "workspace" : "unknown",
      };
    case "script":
      return {
        reason: `package.json has no script "${name}"; ${checkCommand(name, scriptsIn(place.cwd))}`,
        where,
      };
    case "target":
      return { reason: `there is no target "${name}"; ${checkCommand(name, targetsIn(place.cwd))}`, where };
    case "file":
    case "folder":
      return { reason: `${name}: no such ${kind}; check the command`, where };
  }
}
