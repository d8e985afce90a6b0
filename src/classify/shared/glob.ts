// Globs as the task file writes them: `*`, `**`, `?`, `{a,b}` and `[ab]`, with names that start with a dot included.
import picomatch from "picomatch";

/** Only wildcards, braces and brackets are special; a file name may contain a parenthesis. */
export function glob(pattern: string): (name: string) => boolean {
  const escaped = pattern.replace(/[()|]/g, "\\$&");
  return picomatch(escaped, { dot: true, nonegate: true, noextglob: true, flags: "s" });
}

/** A path as a glob that matches only that path. */
export const literal = (name: string): string => name.replace(/[\\*?[\]{}!]/g, "\\$&");

/** A glob below a folder; "" is the workspace. */
export const within = (folder: string, pattern: string): string =>
  folder === "" ? pattern : `${literal(folder)}/${pattern}`;

const ANYWHERE = /^\*\*\/([^/]+)$/;
const SPECIAL = /[*?[\]{}\\]/;
const FOLDER_ANYWHERE = /^\*\*\/([^/*{[\\?]+)\/\*\*$/;

/** The same as `glob`, faster for the forms that most rules have: many thousand files are matched. */
export function fastGlob(pattern: string): (file: string) => boolean {
  if (!SPECIAL.test(pattern)) return (file) => file === pattern;
  const start = pattern.endsWith("/**") ? pattern.slice(0, -"**".length) : "*";
  if (!SPECIAL.test(start)) return (file) => file.startsWith(start);
  const name = ANYWHERE.exec(pattern)?.[1];
  if (name !== undefined) {
    const matches = glob(name);
    return (file) => matches(file.slice(file.lastIndexOf("/") + 1));
  }
  const folder = FOLDER_ANYWHERE.exec(pattern)?.[1];
  if (folder !== undefined) return (file) => `/${file}`.includes(`/${folder}/`);
  return glob(pattern);
}
