// Detects shell commands that need no shell. Most do not, and starting a shell costs more than starting git.

/** Shell builtins and keywords. */
export const shellWords: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg break builtin case cd chdir command continue declare do done echo elif else esac eval exec exit export " +
    "false fc fg fi for function getopts hash if jobs kill let local printf pwd read readonly return select set shift " +
    "source test then time times trap true type typeset ulimit umask unalias unset until wait while"
  ).split(" "),
);

/** Splits a command that means the same without a shell into words; undefined when it needs one. */
export function plainWords(command: string): readonly string[] | undefined {
  if (!/^[\w./:@%+,-][\w./:@%+,=-]*(?: +[\w./:@%+,=-]+)*$/.test(command)) return undefined;
  const words = command.split(/ +/);
  const [first = ""] = words;
  return shellWords.has(first) || first.includes("=") ? undefined : words;
}
