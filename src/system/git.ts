// Git with nothing of the user's: no config, hooks, filters, prompts or replace refs, and a directory that we own.
import { execFile } from "node:child_process";

const LIMIT = 256 * 1024 * 1024;

/** What git is told to look at; without `gitDir` it finds the repository from `cwd`. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function environment(place: GitPlace): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CEILING_DIRECTORIES: "",
    ...(place.gitDir && { GIT_DIR: place.gitDir }),
    ...(place.workTree && { GIT_WORK_TREE: place.workTree }),
    ...(place.index && { GIT_INDEX_FILE: place.index }),
  };
}

// The command line beats every config file, so nothing planted in one can start a program.
const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "protocol.ext.allow=never",
];
const SAFE_ARGUMENTS = SAFE.flatMap((setting) => ["-c", setting]);

function execute(program: string, args: readonly string[], place: GitPlace): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const options = { cwd: place.cwd, env: environment(place), maxBuffer: LIMIT, encoding: "utf8" as const };
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === "number" ? error.code : -1) : 0;
      resolve({ code, stdout, stderr: code === -1 ? `${error?.message}\n${stderr}` : stderr });
    });
  });
}

export function git(args: readonly string[], place: GitPlace): Promise<GitAnswer> {
  return execute("git", [...SAFE_ARGUMENTS, ...args], place);
}

/** Several git commands for the price of one start: a fixed script, with values only as arguments. */
export function gitScript(script: string, args: readonly string[], place: GitPlace): Promise<GitAnswer> {
  const settings = SAFE_ARGUMENTS.join(" ");
  return execute(
    "/bin/sh",
    ["-c", `git() { command git ${settings} "$@"; }\n${script}`, "git", ...args],
    place,
  );
}

/** What git printed; an error that says what could not be done when it failed. */
export function must({ code, stdout, stderr }: GitAnswer, what: string): string {
  if (code !== 0) throw new Error(`${what} failed (git exit ${code}): ${stderr.trim()}`);
  return stdout;
}
