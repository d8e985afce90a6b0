// Checks before a run whether the program of an agent can start.

import { whyNotRunnable } from "#system/runnable";
import { plainWords, readShellList, shellBuiltins } from "#system/shell";

/** Skips variable assignments before the program. */
const FIRST_WORD = /^(?:\w+=[^\s'"$`\\()]*\s+)*([\w./@%+-]+)(?=\s|$)/;

/** The first program of a command; undefined when only a shell can tell. */
function firstProgram(command: string | readonly string[]): string | undefined {
  if (typeof command !== "string") return command[0];
  const plain = plainWords(command);
  if (plain) return plain[0];
  const { pipelines, isSimple } = readShellList(command);
  const [, word] = FIRST_WORD.exec(pipelines[0]?.stages[0] ?? "") ?? [];
  return isSimple && word !== undefined && !shellBuiltins.has(word) ? word : undefined;
}

/** Why the command cannot start in this folder; undefined when no problem is known. */
export function findBlocker(
  command: string | readonly string[],
  dir: string,
  remedy: string,
): string | undefined {
  const program = firstProgram(command);
  const why = program && whyNotRunnable(program, { cwd: dir, searchPath: process.env.PATH ?? "" });
  return why && (why.endsWith("command not found") ? `${why}; ${remedy}` : why);
}
