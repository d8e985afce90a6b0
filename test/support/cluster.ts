// A cluster of worker processes of the built CLI, each with its own state folder and database connection.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { openWithQueue } from "#cli/support/open-run";
import { prepareTask } from "#runs/prepare-task";
import { submitRun } from "#runs/submit";
import type { RunEvent } from "#spec/event";
import type { Submission } from "#spec/submission";
import type { Context } from "#state/context";
import { execute, freshDatabase } from "./database.ts";
import { type Ledger, ledgerIn } from "./ledger.ts";
import { type Line, lineTo } from "./line.ts";
import { type Answer, answerOf, type Sandbox, type Started } from "./sandbox.ts";
import { waitFor } from "./wait.ts";

const CLI = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));

/** Runs whose last event is run.ended. */
const ENDED = `
  SELECT run, body::json->>'outcome' AS outcome, body::json->>'reason' AS reason FROM (
    SELECT DISTINCT ON (run) run, body FROM converge.events ORDER BY run, seq DESC
  ) AS last WHERE body::json->>'type' = 'run.ended'`;

export interface Machine {
  /** Also the name of its state folder, and of the worker in the ledger. */
  readonly name: string;
  readonly line: Line;
  readonly child: ChildProcess;
  said(): string;
  /** Resolves when the output matches. Rejects when the process exits first. */
  says(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** Returns a command prefix for the worker with this state folder. */
type Within = (home: string) => readonly [string, ...string[]];

export interface Cluster {
  readonly url: string;
  readonly root: string;
  /** Small git repository from which runs are submitted. */
  readonly folder: string;
  readonly ledger: Ledger;
  readonly app: Context;
  /** Starts a worker and waits until it is ready. An earlier name restarts the same machine. */
  worker(flags?: readonly string[], name?: string): Promise<Machine>;
  /** Starts a worker without waiting for it. */
  start(flags?: readonly string[], name?: string, within?: Within): Promise<Machine>;
  /** Submits the task to the queue from this process. */
  submit(task: object, wish?: Partial<Submission> & { readonly folder?: string }): Promise<string>;
  /** A machine without a worker, and its CLI. */
  readonly desk: Pick<Sandbox, "start" | "home">;
  converge(...args: string[]): Promise<Answer>;
  events(run: string): Promise<readonly RunEvent[]>;
  /** Waits until all runs have ended and returns their outcomes; for an error, its reason. */
  outcomes(runs: readonly string[]): Promise<string[]>;
  /** Number of ended runs; 0 while the database is unreachable. */
  endedRuns(): Promise<number>;
}

function machine(name: string, line: Line, child: ChildProcess): Machine {
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  // A process stopped with SIGSTOP cannot exit by itself.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const says = async (pattern: RegExp) => {
    const over = ended.then(() => Promise.reject(new Error(`${name} ended before ${pattern}:\n${said}`)));
    over.catch(() => {});
    await Promise.race([over, waitFor(() => pattern.test(said))]);
  };
  return { name, line, child, said: () => said, says, kill: (signal) => void child.kill(signal), ended };
}

function repository(dir: string): void {
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, "README.md"), "Something to work on.\n");
  const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  const git = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: dir, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "start");
}

/** A task with the defaults of these tests; `rest` overrides them. */
export function taskOf(agent: string, iterations = 1, rest: object = {}): object {
  return {
    prompt: "Count.",
    agent: { type: "command", command: agent },
    gates: [{ name: "counted", command: `test $CONVERGE_ITERATION -ge ${iterations}` }],
    strategy: { type: "fixed", iterations: iterations + 2 },
    baseline: false,
    protect: "off",
    isolation: "off",
    ...rest,
  };
}

/** Creates a cluster on the given database, or on a new one. */
export async function cluster(given?: string): Promise<Cluster> {
  const url = given ?? (await freshDatabase());
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-cluster-")));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const homeOf = (name: string) => path.join(root, "homes", name);
  const { PATH, HOME } = process.env;
  const envOf = (name: string, database = url) => ({
    PATH,
    HOME,
    LANG: "C.UTF-8",
    CONVERGE_HOME: homeOf(name),
    XDG_CONFIG_HOME: path.join(root, "config"),
    CONVERGE_DATABASE_URL: database,
  });
  const folderOf = (name: string) => {
    const dir = path.join(root, name);
    if (!fs.existsSync(dir)) repository(dir);
    return dir;
  };
  const app = await openWithQueue(envOf("desk"));
  onTestFinished(async () => {
    await app.queue?.close();
    await app.store.close();
  });
  let started = 0;

  const start: Cluster["start"] = async (flags = [], name = `machine-${++started}`, within) => {
    const line = await lineTo(url);
    const { CONVERGE_DATABASE_URL, ...env } = envOf(name);
    const worker = [process.execPath, CLI, "worker", "--database", line.url, ...flags];
    const [program = "", ...args] = [...(within?.(homeOf(name)) ?? []), ...worker];
    const child = spawn(program, args, {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return machine(name, line, child);
  };

  const say = (args: readonly string[]): Started => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: folderOf("repository"),
      env: envOf("desk"),
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, ...answerOf(child) };
  };

  return {
    url,
    root,
    app,
    folder: folderOf("repository"),
    ledger: ledgerIn(path.join(root, "ledger")),
    start,
    worker: async (flags, name) => {
      const one = await start(flags, name);
      await one.says(/is ready for/);
      return one;
    },
    submit: async (task, { folder = "repository", ...wish } = {}) => {
      const source = { text: JSON.stringify(task), cwd: folderOf(folder) };
      const read = await prepareTask(source, { env: envOf("desk") });
      return submitRun(app, read, { wish: { priority: 5, labels: [], ...wish }, warn: () => {} });
    },
    desk: { start: say, home: homeOf("desk") },
    converge: (...args) => say(args).answer,
    events: (run) => app.store.read(run),
    endedRuns: async () => (await execute(url, ENDED).catch(() => [])).length,
    outcomes: (runs) =>
      waitFor(
        async () => {
          // Polls again while the database is unreachable.
          const rows = await execute(url, ENDED).catch(() => []);
          const ends = new Map(
            rows.map(({ run, outcome, reason }) => [run, outcome === "error" ? `${reason}` : `${outcome}`]),
          );
          return runs.every((run) => ends.has(run)) && runs.map((run) => ends.get(run) as string);
        },
        { everyMs: 200 },
      ),
  };
}
