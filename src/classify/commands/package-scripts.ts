// Finds the scripts of a package.json that a command runs through npm, pnpm, yarn or bun.

import { isObject } from "#text/json";
import type { BaseFiles } from "../shared/files.ts";
import { programIn } from "./tools.ts";

export interface Package {
  readonly scripts: ReadonlyMap<string, string>;
  /** The scripts of composer.json, each a list of commands. */
  readonly composer: ReadonlyMap<string, readonly string[]>;
  /** Its npm dependencies. */
  readonly dependencies: ReadonlySet<string>;
  /** Whether it contains packages with their own settings. */
  readonly isMonorepo: boolean;
  /** The folders of those packages. */
  readonly packages: readonly string[];
}

const MOST_PACKAGES = 300;

/** Returns an empty object for invalid JSON: the package manager reports that error. */
export function readJson(files: BaseFiles, file: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(files.read(file));
    return isObject(content) ? content : {};
  } catch {
    return {};
  }
}

const entriesOf = (value: unknown): [string, unknown][] => Object.entries(isObject(value) ? value : {});

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");

/** Whether it is the script that `npm init` writes. */
export const isPlaceholder = (script: string): boolean => script.includes("no test specified");

function readPackage(files: BaseFiles, folder: string): Package {
  const at = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  const { scripts, workspaces, dependencies, devDependencies } = readJson(files, at("package.json"));
  const texts = entriesOf(scripts).flatMap(([name, text]): [string, string][] =>
    typeof text === "string" ? [[name, text]] : [],
  );
  const composer = entriesOf(readJson(files, at("composer.json")).scripts);
  const isMonorepo =
    workspaces !== undefined ||
    ["pnpm-workspace.yaml", "lerna.json", "nx.json"].some((name) => files.has(at(name)));
  const inner = files.list.filter((file) => file.endsWith("/package.json") && file.startsWith(at("")));
  return {
    scripts: new Map(texts),
    composer: new Map(composer.map(([name, value]) => [name, textsIn(value)])),
    dependencies: new Set([...entriesOf(dependencies), ...entriesOf(devDependencies)].map(([name]) => name)),
    isMonorepo,
    packages: isMonorepo
      ? inner.slice(0, MOST_PACKAGES).map((file) => file.slice(0, -"/package.json".length))
      : [],
  };
}

/** Reads each package once and caches it. */
export function packageReader(files: BaseFiles): (folder: string) => Package {
  const known = new Map<string, Package>();
  return (folder) => {
    const found = known.get(folder) ?? readPackage(files, folder);
    known.set(folder, found);
    return found;
  };
}

export interface ScriptCall {
  readonly script: string;
  /** The folder option of the package manager, such as --prefix. */
  readonly dir?: string;
  /** Whether the script runs in the packages of the monorepo. */
  readonly inPackages: boolean;
}

const MANAGERS = ["npm", "pnpm", "yarn", "bun"];
const RUN = ["run", "run-script", "rum", "urn"];
const TEST = ["test", "t", "tst"];
const FOLDER_OPTIONS = ["--prefix", "-C", "--dir", "--cwd"];
const PACKAGE_OPTIONS = /^(?:-w|--workspaces?|--filter|-F|-r|--recursive|workspaces?|foreach)(?:=|$)/;
const WITH_VALUE = /^(?:--prefix|-C|--dir|--cwd|-w|--workspace|--filter|-F|--loglevel)$/;

/** The words after the package manager, without options and their values. */
function bare(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  return before.filter((word, at) => !word.startsWith("-") && !WITH_VALUE.test(before[at - 1] ?? ""));
}

function named(manager: string, words: readonly string[], scripts: Package["scripts"]): string | undefined {
  const skipped =
    words[0] === "workspace" ? words.slice(2) : words[0] === "workspaces" ? words.slice(1) : words;
  const [verb = "", first] = skipped[0] === "foreach" ? skipped.slice(1) : skipped;
  if (RUN.includes(verb)) return first;
  // `bun test` runs bun's own test runner.
  if (TEST.includes(verb) && manager !== "bun") return "test";
  if (verb === "start" || verb === "stop") return verb;
  return manager !== "npm" && scripts.has(verb) ? verb : undefined;
}

function folderIn(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const [option = "", value] = word.split("=", 2);
    if (FOLDER_OPTIONS.includes(option)) return value ?? words[at + 1];
  }
  return undefined;
}

/** `run-s "test:*"` runs every script with that prefix. */
function severalIn(words: readonly string[], scripts: Package["scripts"]): ScriptCall[] {
  const at = words.findIndex((word) =>
    ["run-s", "run-p", "npm-run-all", "concurrently"].includes(programIn(word)),
  );
  if (at === -1) return [];
  const wanted = words.slice(at + 1).map((word) => word.replace(/^(?:npm|pnpm|yarn|bun):/, ""));
  const fits = (name: string) =>
    wanted.some((word) => name === word || (word.endsWith("*") && name.startsWith(word.replace(/\*+$/, ""))));
  return [...scripts.keys()].filter(fits).map((script) => ({ script, inPackages: false }));
}

/** Parses `turbo run test`, `nx run-many -t test`, `nx test app`, `lerna run test`: a script of every package. */
function inEveryPackage(words: readonly string[]): ScriptCall[] {
  const at = words.findIndex((word) => ["turbo", "nx", "lerna"].includes(programIn(word)));
  if (at === -1) return [];
  const rest = words.slice(at + 1);
  const option = rest.findIndex((word) => /^(?:-t|--targets?)$/.test(word));
  const given = rest.flatMap((word) => /^(?:-t|--targets?)=(.+)$/.exec(word)?.[1]?.split(",") ?? []);
  const listed = option === -1 ? given : (rest[option + 1] ?? "").split(",");
  const verbs = bare(rest).filter((word) => !["run", "exec", "affected", "run-many"].includes(word));
  const scripts = listed.length > 0 ? listed : verbs.slice(0, 1).map((word) => word.split(":").at(1) ?? word);
  return scripts.map((script) => ({ script, inPackages: true }));
}

export function scriptsCalled(words: readonly string[], scripts: Package["scripts"]): readonly ScriptCall[] {
  const at = words.findIndex((word) => MANAGERS.includes(programIn(word)));
  if (at === -1) return [...inEveryPackage(words), ...severalIn(words, scripts)];
  const rest = words.slice(at + 1);
  const script = named(programIn(words[at] ?? ""), bare(rest), scripts);
  if (script === undefined) return [...inEveryPackage(words), ...severalIn(words, scripts)];
  const dir = folderIn(rest);
  const inPackages = rest.some((word) => PACKAGE_OPTIONS.test(word));
  return [{ script, inPackages, ...(dir !== undefined && { dir }) }];
}
