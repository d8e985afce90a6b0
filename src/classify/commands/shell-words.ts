// The commands in a line of shell, as words. Not a shell: good enough to recognise programs and files by.

const PIECE = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|[;&|()\n`]+|\$\(|[^\s'"\\;&|()`$]+|\$/gsy;
const LONGEST = 20_000;
const DEEPEST = 3;

/** Split where a shell would begin another command; a line break does that too. */
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

/** A word with blanks in it may be a command of its own: `sh -c "npm test"`. */
function withInner(words: readonly string[], depth: number): string[][] {
  const inner = words.filter((word) => /\s/.test(word)).flatMap((word) => commandsIn(word, depth + 1));
  return [[...words], ...inner];
}

/** A text is shell, a list is program and arguments. */
export function commandsIn(command: string | readonly string[], depth = 0): string[][] {
  if (depth > DEEPEST) return [];
  const commands = typeof command === "string" ? simple(command.slice(0, LONGEST)) : [[...command]];
  return commands.flatMap((words) => withInner(words, depth));
}
