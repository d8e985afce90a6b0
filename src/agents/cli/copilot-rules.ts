// Converts shell commands to permission rules of Copilot CLI, which match by program and subcommand.
import { splitCommands, withoutRedirections } from "#system/shell";

const ASSIGNMENT = /^\w+=/;
const WORD = /^[\w./:@+-]+$/;
const SUBCOMMAND = /^\w[\w:-]*$/;

/** Gives both names: Copilot asks for `npm run` for `npm run lint`, but for `make` for `make check`. */
function namesOf(command: string): string[] {
  const words = withoutRedirections(command).split(/\s+/);
  const [program = "", subcommand = ""] = words.slice(words.findIndex((word) => !ASSIGNMENT.test(word)));
  if (!WORD.test(program)) return [];
  return SUBCOMMAND.test(subcommand) ? [program, `${program} ${subcommand}`] : [program];
}

export function copilotRules(commands: readonly string[]): string[] {
  const names = commands.flatMap(splitCommands).flatMap(namesOf);
  return [...new Set(names)].map((name) => `--allow-tool=shell(${name})`);
}
