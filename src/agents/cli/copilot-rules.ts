// Shell commands in the words of Copilot CLI: it knows them by program, and by subcommand where the program has some.
import { simpleCommands, withoutRedirections } from "./simple-commands.ts";

const ASSIGNMENT = /^\w+=/;
const WORD = /^[\w./:@+-]+$/;
const SUBCOMMAND = /^\w[\w:-]*$/;

/** `npm run lint` is `npm run` to it, `make check` is `make`: both names are given, and only one is ever asked for. */
function namesOf(command: string): string[] {
  const words = withoutRedirections(command).split(/\s+/);
  const [program = "", subcommand = ""] = words.slice(words.findIndex((word) => !ASSIGNMENT.test(word)));
  if (!WORD.test(program)) return [];
  return SUBCOMMAND.test(subcommand) ? [program, `${program} ${subcommand}`] : [program];
}

export function copilotRules(commands: readonly string[]): string[] {
  const names = commands.flatMap(simpleCommands).flatMap(namesOf);
  return [...new Set(names)].map((name) => `--allow-tool=shell(${name})`);
}
