// Parses perl errors: `message at FILE line N.`, then the chain of files that could not be loaded.

const ERROR =
  /^(?![#\s])(.+?) at (\S{1,400}) line (\d{1,9})(?:\.|, near .*|, at (?:EOF|end of line)|, <\S+> (?:line|chunk) \d{1,9}\.)$/;
const CONTINUED =
  /^\t\S|^BEGIN failed--|^Compilation failed in require |^Execution of .+ aborted |^\S+ had (?:too many|compilation) errors\.$/;
const MOST_LINES = 12;

export interface PerlError {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly lines: readonly string[];
  /** The first line after it. */
  readonly next: number;
}

/** Parses the error that starts at line `at`, with the lines that belong to it. */
export function perlErrorAt(lines: readonly string[], at: number): PerlError | undefined {
  const [, message, file, line] = ERROR.exec(lines[at] ?? "") ?? [];
  if (message === undefined || file === undefined) return undefined;
  let next = at + 1;
  while (next < lines.length && next - at < MOST_LINES && isMore(lines[next] ?? "", file)) next++;
  return { message, file, line: Number(line), lines: lines.slice(at, next), next };
}

/** perl stops at the first file that does not compile, and may report several of its lines. */
function isMore(line: string, file: string): boolean {
  return CONTINUED.test(line) || ERROR.exec(line)?.[2] === file;
}

/** All errors, in order. */
export function perlErrors(lines: readonly string[]): readonly PerlError[] {
  const errors: PerlError[] = [];
  for (let at = 0; at < lines.length; ) {
    const error = perlErrorAt(lines, at);
    if (error !== undefined) errors.push(error);
    at = error?.next ?? at + 1;
  }
  return errors;
}
