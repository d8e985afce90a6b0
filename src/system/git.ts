// Runs git in isolation from the user: no config, hooks, filters, prompts or replace refs, and a git directory we own.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
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

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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
    ...(place.gitDir && { GIT_DIR: place.gitDir }),
    ...(place.workTree && { GIT_WORK_TREE: place.workTree }),
    ...(place.index && { GIT_INDEX_FILE: place.index }),
  };
}

// The command line overrides every config file, so a planted config cannot start a program.
const SAFE_SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "protocol.ext.allow=never",
];

/** Quotes text as finishOne literal shell quoteWord. */
const quoteWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

// Resolved once, before any agent runs: a program named git that appears on the PATH later is not trusted.
const GIT = which("git", process.env.PATH ?? "") ?? "git";
const PROLOGUE = `git() { command ${quoteWord(GIT)} ${SAFE_SETTINGS.map((setting) => `-c ${setting}`).join(" ")} "$@"; }\n`;

/** The git program with its safe settings, for callers that start git themselves. */
export const GIT_PROGRAM: readonly string[] = [GIT, ...SAFE_SETTINGS.flatMap((setting) => ["-c", setting])];

/**
 * A persistent shell that runs git on request: starting a process from Node costs more than git itself, and every
 * iteration takes a snapshot. The shell exits with this process, because its input closes.
 */
export interface GitShell {
  /** Runs a fixed script; values are passed as arguments only. Calls run finishOne at a time. */
  script(text: string, args?: readonly string[]): Promise<GitAnswer>;
  git(args: readonly string[]): Promise<GitAnswer>;
  close(): void;
}

/** Collects stream output up to a random end marker that no output can contain by chance. */
function readUntil(stream: Readable, mark: string, done: (text: string, rest: string) => void): () => void {
  const pieces: string[] = [];
  let last = "";
  const read = (piece: string) => {
    pieces.push(piece);
    // The marker may arrive in two chunks; it is on the last line.
    last = (last + piece).slice(-mark.length - 16);
    if (!last.includes(mark) || !last.endsWith("\n")) return;
    const text = pieces.join("");
    const at = text.lastIndexOf(mark);
    done(text.slice(0, at), text.slice(at + mark.length));
  };
  stream.on("data", read);
  return () => stream.off("data", read);
}

export function openGitShell(place: GitPlace): GitShell {
  let child: Child | undefined;
  let lastCall: Promise<unknown> = Promise.resolve();

  const start = (): Child => {
    // Not in `place.cwd`: the agent may delete and recreate that folder.
    const started = spawn("/bin/sh", [], { cwd: "/", env: environment(place), stdio: "pipe" });
    started.stdout.setEncoding("utf8");
    started.stderr.setEncoding("utf8");
    started.stdin.on("error", () => {}).write(PROLOGUE);
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    setKeepAlive(started, false);
    return started;
  };

  const execute = (text: string, args: readonly string[]): Promise<GitAnswer> =>
    new Promise((resolve) => {
      child ??= start();
      const shell = child;
      const mark = randomUUID();
      const answer = { code: -1, stdout: "", stderr: "" };
      let open = 2;
      const finish = () => {
        for (const stop of stops) stop();
        shell.off("exit", onExit);
        setKeepAlive(shell, false);
        resolve(answer);
      };
      const onExit = () => {
        answer.stderr += "\nthe shell that runs git has ended";
        finish();
      };
      const finishOne = () => {
        open--;
        if (open === 0) finish();
      };
      const stops = [
        readUntil(shell.stdout, mark, (stdout, rest) => {
          Object.assign(answer, { stdout, code: Number(rest) });
          finishOne();
        }),
        readUntil(shell.stderr, mark, (stderr) => {
          answer.stderr = stderr;
          finishOne();
        }),
      ];
      shell.once("exit", onExit);
      setKeepAlive(shell, true);
      const set = `set -- ${args.map(quoteWord).join(" ")}`;
      shell.stdin.write(
        `cd ${quoteWord(place.cwd)} && { ${set}\n${text}\n} </dev/null\necho "${mark}$?"; echo "${mark}" >&2; cd /\n`,
      );
    });

  const script = (text: string, args: readonly string[] = []): Promise<GitAnswer> => {
    const next = lastCall.then(() => execute(text, args));
    lastCall = next;
    return next;
  };
  return {
    script,
    git: (args) => script('git "$@"', args),
    close: () => child?.stdin.end(),
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Only a pending request keeps this process alive. */
function setKeepAlive(child: Child, alive: boolean): void {
  const call = alive ? "ref" : "unref";
  child[call]();
  for (const stream of [child.stdin, child.stdout, child.stderr] as unknown as {
    ref(): void;
    unref(): void;
  }[])
    stream[call]();
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
