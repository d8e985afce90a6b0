// Runs git in isolation from the user: no config, hooks, filters, prompts or replace refs, and a git directory we own.
import { quoteWord } from "./shell.ts";
import { holdShells, runInShell, type ShellAnswer } from "./shell-pool.ts";
import { which } from "./which.ts";

/** The repository git works on; without `gitDir`, git finds it from `cwd`. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** Uses the user's configuration, which has their name and credentials; hooks stay off. */
  readonly asUser?: boolean;
}

export type GitAnswer = ShellAnswer;

/** Unsets the variables that would point git at another repository. */
export const UNSET_REPOSITORY: Readonly<Record<string, undefined>> = {
  GIT_DIR: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
  GIT_NAMESPACE: undefined,
  GIT_PREFIX: undefined,
};

const NO_USER_CONFIG = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" };

function environment(place: GitPlace): NodeJS.ProcessEnv {
  const isRemoved = (name: string) => (place.asUser ? name in UNSET_REPOSITORY : name.startsWith("GIT_"));
  const inherited = Object.entries(process.env).filter(([name]) => !isRemoved(name));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    ...(!place.asUser && NO_USER_CONFIG),
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CEILING_DIRECTORIES: "",
  };
}

// The command line overrides every config file, so a planted config cannot start a program.
const SAFE_SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "protocol.ext.allow=never",
];

// Resolved once, before any agent runs: a program named git that appears on the PATH later is not trusted.
const GIT = which("git", process.env.PATH ?? "") ?? "git";
const GIT_FUNCTION = `git() { command ${quoteWord(GIT)} ${SAFE_SETTINGS.map((setting) => `-c ${setting}`).join(" ")} "$@"; }`;

/** The git program with its safe settings, for callers that start git themselves. */
export const GIT_PROGRAM: readonly string[] = [GIT, ...SAFE_SETTINGS.flatMap((setting) => ["-c", setting])];

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
    value ? `export ${name}=${quoteWord(value)}` : `unset ${name}`,
  );
  return `${lines.join("; ")}; cd ${quoteWord(cwd)}`;
}

export function openGitShell(place: GitPlace): GitShell {
  const release = holdShells();
  const env = environment(place);
  const preparation = `${GIT_FUNCTION}\n${setPlace(place)}`;
  let turn: Promise<unknown> = Promise.resolve();

  const script = (text: string, args: readonly string[] = []): Promise<GitAnswer> => {
    const prepared = `${preparation} && { set -- ${args.map(quoteWord).join(" ")}\n${text}\n}`;
    const next = turn.then(() => runInShell(prepared, env));
    turn = next;
    return next;
  };
  return { script, git: (args) => script('git "$@"', args), close: release };
}

/** Runs a single git command in a shell of its own. */
export async function git(args: readonly string[], place: GitPlace): Promise<GitAnswer> {
  const shell = openGitShell(place);
  try {
    return await shell.git(args);
  } finally {
    shell.close();
  }
}

/** Returns what git printed, or throws an error that names the failed action. */
export function must({ code, stdout, stderr }: GitAnswer, what: string): string {
  if (code !== 0) throw new Error(`${what} failed (git exit ${code}): ${stderr.trim()}`);
  return stdout;
}
