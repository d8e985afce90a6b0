// Finds the file of the workspace that a command runs, and whether it is a check or the program under test.
import type { BaseFiles } from "../shared/files.ts";
import { hasTestCases, isCode, isLikelyTestName, isNamedLikeTest } from "../shared/test-cases.ts";

const SHELL_FILE = /\.(?:sh|bash|zsh|ksh|dash|fish)$/;
const SHEBANG = /^#!.*\b(?:ba|z|k|da)?sh\b/;
/** Programs whose arguments are files to read, not files to run. */
const READS_FILES =
  /^(?:shellcheck|shfmt|cat|diff|cmp|grep|egrep|test|\[|\[\[|ls|chmod|cp|mv|rm|mkdir|touch|echo|printf|prettier|eslint|biome|ruff|black|mypy|flake8|sed|awk|head|tail|wc|export|local|if|while)$/;
const SOURCE_FOLDER = /^(?:src|lib|bin|app|cmd|pkg|internal|source)\//;
export const isInSourceFolder = (file: string): boolean => SOURCE_FOLDER.test(file);
const SCRIPT_FOLDER = /^(?:\.?ci|scripts?|tools?|hack|dev|build|etc|\.github|\.gitlab|\.circleci|utils)\//;
const CHECK =
  /(?:^|[^a-z])(?:tests?|specs?|checks?|verify|verification|ci|e2e|lint|fixtures?|expected|golden|schemas?)(?:[^a-z]|$)/i;
const MOST_READ = 3000;

/** Whether the name contains test, spec, check, verify, ci, e2e, lint, fixture, expected, golden or schema. */
export function looksLikeCheck(name: string): boolean {
  return name.split("/").some((segment) => CHECK.test(segment.replace(/([a-z])(?=[A-Z])/g, "$1-")));
}

export const isShellFile = (files: BaseFiles, file: string): boolean =>
  SHELL_FILE.test(file) || SHEBANG.test(files.read(file).slice(0, 200));

/** Resolves a word of a command to a file, relative to the folder of the command or of the script that contains it. */
export function fileMeant(files: BaseFiles, word: string, folders: readonly string[]): string | undefined {
  // Handles "$ROOT/check.sh" and the rest of "$(dirname "$0")/check.sh".
  const names = [word, word.replace(/^(?:\$\{?\w+\}?)?\/+/, "")].filter(
    (name) => name !== "" && name.length < 500,
  );
  for (const name of new Set(names))
    for (const folder of new Set([...folders, ""])) {
      const place = files.inside(name, folder);
      if (place !== undefined && files.kindOf(place) === "file") return place;
    }
  return undefined;
}

/** The words that may name a program: none after a program that only reads files. */
export function programWords(words: readonly string[]): readonly string[] {
  const reader = words.findIndex((word) => READS_FILES.test(word.slice(word.lastIndexOf("/") + 1)));
  return reader === -1 ? words : words.slice(0, reader);
}

const SETTINGS = /\.config\.\w+$|(?:^|\/)\.\w+rc\.\w+$/;
const RELATIVE = /["'](\.{1,2}\/[^"'\n]+)["']/g;
/** Languages that import by name instead of a relative path. */
const NAMED_IMPORTS: readonly (readonly [end: RegExp, pattern: (stem: string) => RegExp])[] = [
  [
    /\.py$/,
    (stem) =>
      new RegExp(String.raw`^\s*(?:import|from)\s+(?:[\w.]+\s+import\s+)?(?:[\w.]*\.)?${stem}\b`, "m"),
  ],
  [/\.rb$/, (stem) => new RegExp(String.raw`\brequire(?:_relative)?\b[^\n]*["'/]${stem}["']`)],
  [/\.php$/, (stem) => new RegExp(String.raw`\b(?:require|include)(?:_once)?\b[^\n]*/${stem}\.php`)],
];
const withoutEnd = (file: string): string => file.replace(/\.\w+$/, "");

/** Whether source imports the file or the package ships it: then it is source, even if a gate runs it. */
export function isUsedBySource(files: BaseFiles, file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const bare = withoutEnd(name);
  const stem = bare.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const wanted = withoutEnd(file);
  const byName = NAMED_IMPORTS.find(([end]) => end.test(file))?.[1](stem);
  const imports = (other: string): boolean => {
    const text = files.read(other);
    if (!text.includes(bare)) return false;
    if (byName?.test(text)) return true;
    const folder = other.includes("/") ? other.slice(0, other.lastIndexOf("/")) : "";
    return [...text.matchAll(RELATIVE)].some(([, from = ""]) => {
      const place = files.inside(from, folder);
      return place !== undefined && withoutEnd(place) === wanted;
    });
  };
  const isSource = (other: string) =>
    other !== file &&
    isCode(other) &&
    !SETTINGS.test(other) &&
    !isNamedLikeTest(other) &&
    !SCRIPT_FOLDER.test(other) &&
    !looksLikeCheck(other);
  const shipped = new RegExp(String.raw`"(?:main|bin|module|exports)"[^\n]*/?${stem}\.`);
  return (
    shipped.test(files.read("package.json")) || files.list.filter(isSource).slice(0, MOST_READ).some(imports)
  );
}

/** Whether the file is a program that judges the work, and not the program under test. */
export function isSteering(files: BaseFiles, file: string): boolean {
  if (!files.has(file)) return false;
  const isCheck = looksLikeCheck(file);
  if (isInSourceFolder(file) && !isCheck) return false;
  if (isShellFile(files, file)) return true;
  return (isCheck || SCRIPT_FOLDER.test(file)) && !isUsedBySource(files, file);
}

export const isTestFile = (files: BaseFiles, file: string): boolean =>
  isNamedLikeTest(file) || (isLikelyTestName(file) && hasTestCases(files, file));
