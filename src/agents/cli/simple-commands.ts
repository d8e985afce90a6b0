// A line of shell as the simple commands it is made of: CLIs that allow commands judge each of them by itself.

const TOKEN = /"(?:\\.|[^"\\])*"|'[^']*'|\\.|&&|\|\|?|;|\n|[\s\S]/g;
const BETWEEN = new Set(["&&", "||", "|", ";", "\n"]);
/** A command inside a command: what is allowed then is the whole line, as it stands. */
const NESTED = /[`()]/;
const REDIRECTION = /\s*\d*(?:>>?|<)\s*(?:&\d|[^\s<>&]+)/g;

/** `cd web && npm test | tail` is three. */
export function simpleCommands(line: string): string[] {
  if (NESTED.test(line)) return [line.trim()];
  const commands = [""];
  for (const [token] of line.matchAll(TOKEN))
    if (BETWEEN.has(token)) commands.push("");
    else commands[commands.length - 1] += token;
  return commands.map((command) => command.trim()).filter((command) => command !== "");
}

/** The command alone, without the files that it reads from or prints to. */
export function withoutRedirections(command: string): string {
  return command.replace(REDIRECTION, "").trim();
}
