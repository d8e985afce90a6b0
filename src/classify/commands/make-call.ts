// Parses a call of make or just: which makefile or justfile it uses, and which targets.
import type { BaseFiles } from "../shared/files.ts";

export interface RecipeCall {
  readonly kind: "make-target" | "just-recipe";
  readonly folder: string;
  /** Undefined when the file does not exist yet. */
  readonly file?: string;
  /** File names in order of precedence: a new file with an earlier name would be used instead. */
  readonly names: readonly string[];
  readonly targets: readonly string[];
}

const MAKE_NAMES = ["GNUmakefile", "makefile", "Makefile"];
const JUST_NAMES = ["justfile", "Justfile", ".justfile"];
const WITH_VALUE =
  /^(?:-[CfIoWEd]|--(?:directory|file|makefile|include-dir|eval|justfile|working-directory|set|shell))$/;

function optionIn(words: readonly string[], names: RegExp): string | undefined {
  for (const [at, word] of words.entries()) {
    const [option = "", value] = word.split("=", 2);
    if (names.test(option)) return value ?? words[at + 1];
    const joined = /^-([Cf])(.+)$/.exec(word);
    if (joined && names.test(`-${joined[1]}`)) return joined[2];
  }
  return undefined;
}

const targetsIn = (words: readonly string[]): string[] =>
  words.filter(
    (word, at) =>
      !/^[-+]|=|^\d+$|[$]/.test(word) && !/^[<>]/.test(word) && !WITH_VALUE.test(words[at - 1] ?? ""),
  );

/** The first word is make or just. */
export function recipeCall(words: readonly string[], start: string, files: BaseFiles): RecipeCall {
  const [program = "", ...rest] = words;
  const isJust = program.endsWith("just");
  const dir = optionIn(rest, isJust ? /^(?:-d|--working-directory)$/ : /^(?:-C|--directory)$/);
  const folder = dir === undefined ? start : (files.inside(dir, start) ?? "");
  const named = optionIn(rest, isJust ? /^(?:-f|--justfile)$/ : /^(?:-f|--file|--makefile)$/);
  const names = (isJust ? JUST_NAMES : MAKE_NAMES).map((name) =>
    folder === "" ? name : `${folder}/${name}`,
  );
  const file =
    named === undefined ? names.find((name) => files.kindOf(name) === "file") : files.inside(named, folder);
  const targets = targetsIn(rest);
  return {
    kind: isJust ? "just-recipe" : "make-target",
    folder,
    ...(file !== undefined && files.kindOf(file) === "file" && { file }),
    names: named === undefined ? names : [],
    targets: targets.length === 0 ? [""] : targets,
  };
}
