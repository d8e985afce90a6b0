// Glob syntax of the task file: `*`, `**`, `?`, `{a,b}` and `[ab]`. Wildcards match names that start with a dot.
import picomatch from "picomatch";

const OPTIONS = { dot: true, nonegate: true, noextglob: true, flags: "s" };
/** Characters that are not literal. */
const VARIABLE = /[*?"\\]/;
const BRACE_IN_BRACKETS = /\[[^\]]*[{}]/;

/** The longest literal text that every match contains, outside wildcards, braces and brackets. */
function requiredText(pattern: string): string {
  if (BRACE_IN_BRACKETS.test(pattern)) return "";
  let [longest, text, depth] = ["", "", 0];
  for (const character of `${pattern.replace(/^(?:\.\/)+/, "")}*`) {
    if (/[{[]/.test(character)) depth++;
    if (depth === 0 && !VARIABLE.test(character)) text += character;
    else {
      // Matches may lack the outer slashes, because `**` also matches zero folders.
      const bare = text.replace(/^\/+|\/+$/g, "");
      if (bare.length > longest.length) longest = bare;
      text = "";
    }
    // Ignore everything after an escape, which may hide a brace or a bracket.
    if (character === "\\") depth = Number.POSITIVE_INFINITY;
    if (/[}\]]/.test(character)) depth = Math.max(0, depth - 1);
  }
  return longest;
}

/** Only wildcards, braces and brackets are special; a file name may contain a parenthesis. */
export function glob(pattern: string): (name: string) => boolean {
  const escaped = pattern.replace(/[()|]/g, "\\$&");
  // Only picomatch's regular expression, after a fast text search: its own matcher allocates three objects per name.
  const expression = picomatch.makeRe(escaped, OPTIONS);
  const text = requiredText(escaped);
  return (name) => name === escaped || (name.includes(text) && expression.test(name));
}

/** Compiles patterns of the form `**` and a name into one regular expression. */
export function anyName(patterns: readonly string[]): (file: string) => boolean {
  const names = patterns.map((pattern) => ANYWHERE.exec(pattern)?.[1] ?? pattern);
  const expressions = names.map((name) => picomatch.makeRe(name, OPTIONS).source);
  const expression = new RegExp(expressions.join("|"), OPTIONS.flags);
  return (file) => expression.test(file.slice(file.lastIndexOf("/") + 1));
}

/** Escapes a path to a glob that matches only that path. */
export const literal = (name: string): string => name.replace(/[\\*?[\]{}!]/g, "\\$&");

/** Prefixes a glob with a folder; "" is the workspace. */
export const within = (folder: string, pattern: string): string =>
  folder === "" ? pattern : `${literal(folder)}/${pattern}`;

const ANYWHERE = /^\*\*\/([^/]+)$/;
const SPECIAL = /[*?[\]{}\\]/;
const FOLDER_ANYWHERE = /^\*\*\/([^/*{[\\?]+)\/\*\*$/;

const fileName = { of: "", is: "" };

/** The last path segment. Caches its last result: many rules check the same file in turn. */
function nameOf(file: string): string {
  if (fileName.of !== file) Object.assign(fileName, { of: file, is: file.slice(file.lastIndexOf("/") + 1) });
  return fileName.is;
}

/** Whether the pattern is a literal path. */
export const isPath = (pattern: string): boolean => !SPECIAL.test(pattern);

/** Same as `glob`, but faster for common forms: rules are matched against many thousand files. */
export function fastGlob(pattern: string): (file: string) => boolean {
  if (isPath(pattern)) return (file) => file === pattern;
  const start = pattern.endsWith("/**") ? pattern.slice(0, -"**".length) : "*";
  if (isPath(start)) return (file) => file.startsWith(start);
  const name = ANYWHERE.exec(pattern)?.[1];
  if (name !== undefined) {
    const matches = glob(name);
    return (file) => matches(nameOf(file));
  }
  const folder = FOLDER_ANYWHERE.exec(pattern)?.[1];
  if (folder !== undefined) return (file) => file.includes(`/${folder}/`) || file.startsWith(`${folder}/`);
  return glob(pattern);
}
