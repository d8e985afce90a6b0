// Git with nothing of the user's: no config, hooks, filters, prompts or replace refs, and a directory that we own.
import { holdShells, runInShell, type ShellAnswer } from "./shell-pool.ts";
import { which } from "./which.ts";

/** What git is told to look at; without `gitDir` it finds the repository from `cwd`. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** With the user's own configuration, where their name and their credentials are; still without hooks. */
  readonly asUser?: boolean;
}

export type GitAnswer = ShellAnswer;

/** What would point git at another repository than the one it is told of. */
export const NOWHERE: Readonly<Record<string, undefined>> = {
  GIT_DIR: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
  GIT_NAMESPACE: undefined,
  GIT_PREFIX: undefined,
};

const NOBODY = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" };

function environment(place: GitPlace): NodeJS.ProcessEnv {
  const foreign = (name: string) => (place.asUser ? name in NOWHERE : name.startsWith("GIT_"));
  const inherited = Object.entries(process.env).filter(([name]) => !foreign(name));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    ...(!place.asUser && NOBODY),
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CEILING_DIRECTORIES: "",
  };
}

// The command line beats every config file, so nothing planted in one can start a program.
const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "protocol.ext.allow=never",
];

/** A word of a shell script that means itself, whatever it says. */
const word = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

// Found once, before any agent runs: a program of that name that appears on the path later is not ours.
const GIT = which("git", process.env.PATH ?? "") ?? "git";
const GIT_FUNCTION = `git() { command ${word(GIT)} ${SAFE.map((setting) => `-c ${setting}`).join(" ")} "$@"; }`;

/** Git as a program with its first arguments, for those who start it themselves: safe settings, no hooks. */
export const GIT_PROGRAM: readonly string[] = [GIT, ...SAFE.flatMap((setting) => ["-c", setting])];

/** Runs git in a shell, one script at a time. */
export interface GitShell {
  /** A fixed script, with values only as arguments. It must not change the shell itself. */
  script(text: string, args?: readonly string[]): Promise<GitAnswer>;
  git(args: readonly string[]): Promise<GitAnswer>;
  close(): void;
}

/** Points git at the place; shells are shared, so that what the place leaves open is unset. */
function setPlace({ cwd, gitDir, workTree, index }: GitPlace): string {
  const variables = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index };
  const lines = Object.entries(variables).map(([name, value]) =>
    value ? `export ${name}=${word(value)}` : `unset ${name}`,
  );
  return `${lines.join("; ")}; cd ${word(cwd)}`;
}

export function openGitShell(place: GitPlace): GitShell {
  const release = holdShells();
  const env = environment(place);
  const preparation = `${GIT_FUNCTION}\n${setPlace(place)}`;
  let turn: Promise<unknown> = Promise.resolve();

  const script = (text: string, args: readonly string[] = []): Promise<GitAnswer> => {
    const prepared = `${preparation} && { set -- ${args.map(word).join(" ")}\n${text}\n}`;
    const next = turn.then(() => runInShell(prepared, env));
    turn = next;
    return next;
  };
  return { script, git: (args) => script('git "$@"', args), close: release };
}

/** One command, for those who have only one. */
export async function git(args: readonly string[], place: GitPlace): Promise<GitAnswer> {
  const shell = openGitShell(place);
  try {
    return await shell.git(args);
  } finally {
    shell.close();
  }
}

/** What git printed; an error that says what could not be done when it failed. */
export function must({ code, stdout, stderr }: GitAnswer, what: string): string {
  if (code !== 0) throw new Error(`${what} failed (git exit ${code}): ${stderr.trim()}`);
  return stdout;
}
