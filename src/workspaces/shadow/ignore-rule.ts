// Converts literal paths to .gitignore rules.

/** Whether a rule can name the path: a line feed ends a rule, and git may read a carriage return as part of that. */
export function canBeIgnored(name: string): boolean {
  return !/[\n\r]/.test(name);
}

/** The rule for exactly this path, relative to the workspace; a folder ends with a slash. */
export function ignoreRule(name: string): string {
  const literal = name.replace(/[\\*?[\]]/g, "\\$&");
  return `/${literal.replace(/ $/, "\\ ")}`;
}
