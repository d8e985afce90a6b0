// A pool of shells that run scripts. Starting a process from Node costs more than most git commands do, so a shell stays
// open for the next script. It exits with this process, because its input closes.
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

const MAX_IDLE = 2;
/** How long idle shells stay open when nobody holds the pool. */
const IDLE_MS = 1_000;

const idle: Idle[] = [];
let holders = 0;
let timer: NodeJS.Timeout | undefined;

function forget(child: Child): void {
  const at = idle.findIndex((one) => one.child === child);
  if (at !== -1) idle.splice(at, 1);
}

/** Only a pending script keeps this process alive. */
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
  // Not in a workspace: the agent may delete and recreate that folder.
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
  if (idle.length > MAX_IDLE) idle.shift()?.child.stdin.end();
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

/**
 * Collects the output of a stream up to the line with the mark, which is random. Text may follow it in the same chunk: a
 * child of the script, such as the other end of a fetch that failed, can outlive the script and still print.
 */
function readUntil(stream: Readable, mark: string, done: (text: string, rest: string) => void): () => void {
  const chunks: string[] = [];
  let tail = "";
  const read = (chunk: string) => {
    chunks.push(chunk);
    tail += chunk;
    const at = tail.indexOf(mark);
    const end = at === -1 ? -1 : tail.indexOf("\n", at);
    if (end === -1) {
      // The mark may arrive in two chunks.
      tail = tail.slice(at === -1 ? -mark.length : at);
      return;
    }
    const text = chunks.join("");
    done(text.slice(0, text.indexOf(mark)), tail.slice(at + mark.length, end));
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
      child.off("exit", onExit);
      giveBack(child, key);
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
      readUntil(child.stdout, mark, (stdout, rest) => {
        Object.assign(answer, { stdout, code: Number(rest) });
        finishOne();
      }),
      readUntil(child.stderr, mark, (stderr) => {
        answer.stderr = stderr;
        finishOne();
      }),
    ];
    child.once("exit", onExit);
    keepAlive(child, true);
    child.stdin.write(`{ ${script}\n} </dev/null\necho "${mark}$?"; echo "${mark}" >&2; cd /\n`);
  });
}
