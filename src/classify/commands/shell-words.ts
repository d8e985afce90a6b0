// Splits a shell command line into commands and words. Not a full shell parser: enough to recognise programs and files.

const PIECE = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|[;&|()\n`]+|\$\(|[^\s'"\\;&|()`$]+|\$/gsy;
const LONGEST = 20_000;
const DEEPEST = 3;

/** Splits where a shell begins another command, including at line breaks. */
function simple(text: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const flush = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const [piece, single, double, escaped] of text.matchAll(PIECE)) {
    const quoted = single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped;
    if (quoted !== undefined) word = (word ?? "") + quoted;
    else if (/^[;&|()`]|^\$\(|^\s*\n/.test(piece)) {
      flush();
      commands.push([]);
    } else if (/^\s/.test(piece)) flush();
    else word = (word ?? "") + piece;
  }
  flush();
  return commands.filter((words) => words.length > 0);
}

/** Also parses words that contain spaces, which may be commands: `sh -c "npm test"`. */
function withInner(words: readonly string[], depth: number): string[][] {
  const inner = words.filter((word) => /\s/.test(word)).flatMap((word) => commandsIn(word, depth + 1));
  return [[...words], ...inner];
}

/** A string is a shell command, a list is a program with its arguments. */
export function commandsIn(command: string | readonly string[], depth = 0): string[][] {
  if (depth > DEEPEST) return [];
  const commands = typeof command === "string" ? simple(command.slice(0, LONGEST)) : [[...command]];
  return commands.flatMap((words) => withInner(words, depth));
}
