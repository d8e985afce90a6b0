// What git says while it takes a snapshot: what could not be captured, and what must not pass in silence.

const NOT_CAPTURED = [
  /^error: open\("(.+)"\): (.+)$/gm,
  /^warning: could not open directory '(.+?)\/?': (.+)$/gm,
  /^error: (.+): (can only add regular files, symbolic links) or git-directories$/gm,
];

/** Files and folders that git wanted to add and could not, each with the reason. */
export function notCaptured(stderr: string): string[] {
  return NOT_CAPTURED.flatMap((words) =>
    [...stderr.matchAll(words)].map(([, name, why]) => `${name}: ${why}`),
  );
}

/** Repositories inside the workspace that have no commit yet. */
export function unborn(stderr: string): string[] {
  const found = stderr.matchAll(/^error: '(.+?)\/?' does not have a commit checked out$/gm);
  return [...found].map(([, name = ""]) => name);
}

/** Errors that nothing above accounts for (a full disk, say): the tree is not what the files are. */
export function unexplained(stderr: string): string {
  const known = /^error: (open\(".+"\): |unable to index file |.+: can only add regular files)/;
  const lines = stderr.split("\n").filter((line) => /^(error|fatal): /.test(line) && !known.test(line));
  return [...new Set(lines)].join("; ");
}
