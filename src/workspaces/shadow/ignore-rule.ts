// Literal paths as .gitignore rules.

/** Paths that a rule can name: a rule ends with its line, and a carriage return may be taken for part of the line end. */
export function canBeIgnored(name: string): boolean {
  return !/[\n\r]/.test(name);
}

/** The rule for exactly this path, from the workspace on; a folder is written with a slash at its end. */
export function ignoreRule(name: string): string {
  const literal = name.replace(/[\\*?[\]]/g, "\\$&");
  return `/${literal.replace(/ $/, "\\ ")}`;
}
