// A pool of shells that run scripts. Starting a process from Node costs more than most git commands do, so a shell stays
// open for the next script. It ends with us, because its input does.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";

export interface ShellAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

interface Idle {
  readonly child: Child;
  /** Its environment. */
  readonly key: string;
}

/** More than these are not kept. */
const MOST_IDLE = 2;
/** How long they are kept when nobody holds the pool. */
const IDLE_MS = 1_000;

const idle: Idle[] = [];
let holders = 0;
let timer: NodeJS.Timeout | undefined;

function forget(child: Child): void {
  const at = idle.findIndex((one) => one.child === child);
  if (at !== -1) idle.splice(at, 1);
}

/** Only a question under way keeps our process alive. */
function keepAlive(child: Child, isAlive: boolean): void {
  const call = isAlive ? "ref" : "unref";
  child[call]();
  for (const stream of [child.stdin, child.stdout, child.stderr] as unknown as {
    ref(): void;
    unref(): void;
  }[])
    stream[call]();
}

function start(env: NodeJS.ProcessEnv): Child {
  // Not in a workspace: the agent may remove that folder and make it anew.
  const child = spawn("/bin/sh", [], { cwd: "/", env, stdio: "pipe" });
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8");
  child.stdin.on("error", () => {});
  child.once("exit", () => forget(child));
  return child;
}

function take(env: NodeJS.ProcessEnv, key: string): Child {
  const at = idle.findIndex((one) => one.key === key);
  return at === -1 ? start(env) : (idle.splice(at, 1)[0]?.child ?? start(env));
}

function endIdle(): void {
  for (const { child } of idle.splice(0)) child.stdin.end();
}

function endIdleLater(): void {
  clearTimeout(timer);
  if (holders === 0) timer = setTimeout(endIdle, IDLE_MS).unref();
}

function giveBack(child: Child, key: string): void {
  keepAlive(child, false);
  if (child.exitCode !== null || child.signalCode !== null) return;
  idle.push({ child, key });
  if (idle.length > MOST_IDLE) idle.shift()?.child.stdin.end();
  endIdleLater();
}

/** Keeps idle shells open until the returned function is called. */
export function holdShells(): () => void {
  holders++;
  let isHeld = true;
  return () => {
    if (isHeld) holders--;
    isHeld = false;
    endIdleLater();
  };
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

/**
 * Runs a script without input in a shell with this environment. The script must leave the shell as it was, but for
 * arguments, folder and variables: the next script sets its own.
 */
export function runInShell(script: string, env: NodeJS.ProcessEnv): Promise<ShellAnswer> {
  return new Promise((resolve) => {
    const key = JSON.stringify(env);
    const child = take(env, key);
    const mark = randomUUID();
    const answer = { code: -1, stdout: "", stderr: "" };
    let open = 2;
    const finish = () => {
      for (const stop of stops) stop();
      child.off("exit", broken);
      giveBack(child, key);
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
      upTo(child.stdout, mark, (stdout, rest) => {
        Object.assign(answer, { stdout, code: Number(rest) });
        one();
      }),
      upTo(child.stderr, mark, (stderr) => {
        answer.stderr = stderr;
        one();
      }),
    ];
    child.once("exit", broken);
    keepAlive(child, true);
    child.stdin.write(`{ ${script}\n} </dev/null\necho "${mark}$?"; echo "${mark}" >&2; cd /\n`);
  });
}
