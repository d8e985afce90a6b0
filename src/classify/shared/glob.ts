// Globs as the task file writes them: `*`, `**`, `?`, `{a,b}` and `[ab]`, with names that start with a dot included.
import picomatch from "picomatch";

const OPTIONS = { dot: true, nonegate: true, noextglob: true, flags: "s" };
/** Characters that do not stand for themselves. */
const VARIABLE = /[*?"\\]/;
const BRACE_IN_BRACKETS = /\[[^\]]*[{}]/;

/** The longest text that every match contains: outside of wildcards, braces and brackets. */
function requiredText(pattern: string): string {
  if (BRACE_IN_BRACKETS.test(pattern)) return "";
  let [longest, text, depth] = ["", "", 0];
  for (const character of `${pattern.replace(/^(?:\.\/)+/, "")}*`) {
    if (/[{[]/.test(character)) depth++;
    if (depth === 0 && !VARIABLE.test(character)) text += character;
    else {
      // Slashes at the ends may be missing: `**` stands for no folder as well.
      const bare = text.replace(/^\/+|\/+$/g, "");
      if (bare.length > longest.length) longest = bare;
      text = "";
    }
    // Behind an escape nothing counts: it may hide a brace or a bracket.
    if (character === "\\") depth = Number.POSITIVE_INFINITY;
    if (/[}\]]/.test(character)) depth = Math.max(0, depth - 1);
  }
  return longest;
}

/** Only wildcards, braces and brackets are special; a file name may contain a parenthesis. */
export function glob(pattern: string): (name: string) => boolean {
  const escaped = pattern.replace(/[()|]/g, "\\$&");
  // The expression alone, behind a search for a text: picomatch's own function makes three objects for each name.
  const expression = picomatch.makeRe(escaped, OPTIONS);
  const text = requiredText(escaped);
  return (name) => name === escaped || (name.includes(text) && expression.test(name));
}

/** Whether a file has one of the names; each pattern is `**` and a name. One expression for all of them. */
export function anyName(patterns: readonly string[]): (file: string) => boolean {
  const names = patterns.map((pattern) => ANYWHERE.exec(pattern)?.[1] ?? pattern);
  const expressions = names.map((name) => picomatch.makeRe(name, OPTIONS).source);
  const expression = new RegExp(expressions.join("|"), OPTIONS.flags);
  return (file) => expression.test(file.slice(file.lastIndexOf("/") + 1));
}

/** A path as a glob that matches only that path. */
export const literal = (name: string): string => name.replace(/[\\*?[\]{}!]/g, "\\$&");

/** A glob below a folder; "" is the workspace. */
export const within = (folder: string, pattern: string): string =>
  folder === "" ? pattern : `${literal(folder)}/${pattern}`;

const ANYWHERE = /^\*\*\/([^/]+)$/;
const SPECIAL = /[*?[\]{}\\]/;
const FOLDER_ANYWHERE = /^\*\*\/([^/*{[\\?]+)\/\*\*$/;

const fileName = { of: "", is: "" };

/** The last segment. Remembers its last answer: many rules ask about the same file in turn. */
function nameOf(file: string): string {
  if (fileName.of !== file) Object.assign(fileName, { of: file, is: file.slice(file.lastIndexOf("/") + 1) });
  return fileName.is;
}

/** The pattern is the path of one file. */
export const isPath = (pattern: string): boolean => !SPECIAL.test(pattern);

/** The same as `glob`, faster for the forms that most rules have: many thousand files are matched. */
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
