// Splits a shell command line into simple commands, because CLIs check permissions for each of them.

const TOKEN = /"(?:\\.|[^"\\])*"|'[^']*'|\\.|&&|\|\|?|;|\n|[\s\S]/g;
const SEPARATORS = new Set(["&&", "||", "|", ";", "\n"]);
/** Nested commands: only the whole line can be allowed as it is. */
const NESTED = /[`()]/;
const REDIRECTION = /\s*\d*(?:>>?|<)\s*(?:&\d|[^\s<>&]+)/g;

/** `cd web && npm test | tail` gives three. */
export function simpleCommands(line: string): string[] {
  if (NESTED.test(line)) return [line.trim()];
  const commands = [""];
  for (const [token] of line.matchAll(TOKEN))
    if (SEPARATORS.has(token)) commands.push("");
    else commands[commands.length - 1] += token;
  return commands.map((command) => command.trim()).filter((command) => command !== "");
}

/** Removes redirections from a command. */
export function withoutRedirections(command: string): string {
  return command.replace(REDIRECTION, "").trim();
}
