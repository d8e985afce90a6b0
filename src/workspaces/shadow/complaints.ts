// Parses git's error output of a snapshot: files that could not be captured, and errors that must not be ignored.

const NOT_CAPTURED = [
  /^error: open\("(.+)"\): (.+)$/gm,
  /^warning: could not open directory '(.+?)\/?': (.+)$/gm,
  /^error: (.+): (can only add regular files, symbolic links) or git-directories$/gm,
];

/** Files and folders that git could not add, each with the reason. */
export function notCaptured(stderr: string): string[] {
  return NOT_CAPTURED.flatMap((words) =>
    [...stderr.matchAll(words)].map(([, name, why]) => `${name}: ${why}`),
  );
}

/** Nested repositories that have no commit yet. */
export function unborn(stderr: string): string[] {
  const found = stderr.matchAll(/^error: '(.+?)\/?' does not have a commit checked out$/gm);
  return [...found].map(([, name = ""]) => name);
}

/** All other errors (such as a full disk), after which the tree does not match the files. */
export function unexplained(stderr: string): string {
  const known = /^error: (open\(".+"\): |unable to index file |.+: can only add regular files)/;
  const lines = stderr.split("\n").filter((line) => /^(error|fatal): /.test(line) && !known.test(line));
  return [...new Set(lines)].join("; ");
}
