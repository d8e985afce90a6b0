// Git with nothing of the user's: no config, hooks, filters, prompts or replace refs, and a directory that we own.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";

/** What git is told to look at; without `gitDir` it finds the repository from `cwd`. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** With the user's own configuration, where their name and their credentials are; still without hooks. */
  readonly asUser?: boolean;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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

/** Git as a program with its first arguments, for those who start it themselves: safe settings, no hooks. */
export const GIT_PROGRAM: readonly string[] = ["git", ...SAFE.flatMap((setting) => ["-c", setting])];
const PROLOGUE = `git() { command git ${SAFE.map((setting) => `-c ${setting}`).join(" ")} "$@"; }\n`;

/** A word of a shell script that means itself, whatever it says. */
const word = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A shell that stays, and runs git when told to: starting a process from Node costs more than git itself does, and
 * a snapshot is taken in every iteration. It ends with us, because its input does.
 */
export interface GitShell {
  /** A fixed script, with values only as arguments; one at a time. */
  script(text: string, args?: readonly string[]): Promise<GitAnswer>;
  git(args: readonly string[]): Promise<GitAnswer>;
  close(): void;
}

/** Collects what a stream says up to a mark that nobody could know. */
function upTo(stream: Readable, mark: string, done: (text: string, rest: string) => void): () => void {
  const pieces: string[] = [];
  let last = "";
  const read = (piece: string) => {
    pieces.push(piece);
    // The mark may arrive in two pieces; it stands on the last line.
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
  let turn: Promise<unknown> = Promise.resolve();

  const start = (): Child => {
    // Not in `place.cwd`: the agent may remove that folder and make it anew.
    const started = spawn("/bin/sh", [], { cwd: "/", env: environment(place), stdio: "pipe" });
    started.stdout.setEncoding("utf8");
    started.stderr.setEncoding("utf8");
    started.stdin.on("error", () => {}).write(PROLOGUE);
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    keep(started, false);
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
        shell.off("exit", broken);
        keep(shell, false);
        resolve(answer);
      };
      const broken = () => {
        answer.stderr += "\nthe shell that runs git has ended";
        finish();
      };
      const one = () => {
        open--;
        if (open === 0) finish();
      };
      const stops = [
        upTo(shell.stdout, mark, (stdout, rest) => {
          Object.assign(answer, { stdout, code: Number(rest) });
          one();
        }),
        upTo(shell.stderr, mark, (stderr) => {
          answer.stderr = stderr;
          one();
        }),
      ];
      shell.once("exit", broken);
      keep(shell, true);
      const set = `set -- ${args.map(word).join(" ")}`;
      shell.stdin.write(
        `cd ${word(place.cwd)} && { ${set}\n${text}\n} </dev/null\necho "${mark}$?"; echo "${mark}" >&2; cd /\n`,
      );
    });

  const script = (text: string, args: readonly string[] = []): Promise<GitAnswer> => {
    const next = turn.then(() => execute(text, args));
    turn = next;
    return next;
  };
  return {
    script,
    git: (args) => script('git "$@"', args),
    close: () => child?.stdin.end(),
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Only a question under way keeps our process alive. */
function keep(child: Child, alive: boolean): void {
  const call = alive ? "ref" : "unref";
  child[call]();
  for (const stream of [child.stdin, child.stdout, child.stderr] as unknown as {
    ref(): void;
    unref(): void;
  }[])
    stream[call]();
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
