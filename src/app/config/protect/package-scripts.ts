// Scripts of a package.json that a command runs, by npm, pnpm, yarn or bun.
import fs from "node:fs";
import path from "node:path";
import { readTail, sizeOf } from "#system/files";
import { programIn } from "./runners.ts";

const LARGEST = 1024 * 1024;

export interface Package {
  readonly scripts: ReadonlyMap<string, string>;
  /** It has packages inside, each with settings of its own. */
  readonly isMonorepo: boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Whatever is strange about the file is as if it were not there: npm will complain about it, not we. */
function contentOf(file: string): Readonly<Record<string, unknown>> {
  try {
    if (sizeOf(file) > LARGEST) return {};
    const content: unknown = JSON.parse(readTail(file, LARGEST).replace(/^\ufeff/, ""));
    return isRecord(content) ? content : {};
  } catch {
    return {};
  }
}

export function readPackage(dir: string): Package {
  const { scripts, workspaces } = contentOf(path.join(dir, "package.json"));
  const texts = Object.entries(isRecord(scripts) ? scripts : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const isMonorepo = workspaces !== undefined || fs.existsSync(path.join(dir, "pnpm-workspace.yaml"));
  return { scripts: new Map(texts), isMonorepo };
}

export interface ScriptCall {
  readonly script: string;
  /** Folder that the package manager is sent to. */
  readonly dir?: string;
  /** In packages of the workspace rather than here. */
  readonly inPackages: boolean;
}

const MANAGERS = ["npm", "pnpm", "yarn", "bun"];
const RUN = ["run", "run-script", "rum", "urn"];
const TEST = ["test", "t", "tst"];
const FOLDER_OPTIONS = ["--prefix", "-C", "--dir", "--cwd"];
const PACKAGE_OPTIONS = /^(?:-w|--workspaces?|--filter|-F|-r|--recursive|workspaces?|foreach)(?:=|$)/;
const WITH_VALUE = /^(?:--prefix|-C|--dir|--cwd|-w|--workspace|--filter|-F|--loglevel)$/;

/** The words behind the manager, without options and their values. */
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
  // bun has a test runner of its own.
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

/** `run-s "test:*"` runs every script that begins so. */
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

export function scriptsCalled(words: readonly string[], scripts: Package["scripts"]): readonly ScriptCall[] {
  const at = words.findIndex((word) => MANAGERS.includes(programIn(word)));
  if (at === -1) return severalIn(words, scripts);
  const rest = words.slice(at + 1);
  const script = named(programIn(words[at] ?? ""), bare(rest), scripts);
  if (script === undefined) return severalIn(words, scripts);
  const dir = folderIn(rest);
  const inPackages = rest.some((word) => PACKAGE_OPTIONS.test(word));
  return [{ script, inPackages, ...(dir !== undefined && { dir }) }];
}
