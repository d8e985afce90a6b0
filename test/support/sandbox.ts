// Temporary workspace with its own state folder, and the built CLI to run in it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { RunEvent } from "#spec/event";

const CLI = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Parses standard output as one event a line (with --json). */
  events(): RunEvent[];
}

export interface Started {
  readonly child: ChildProcess;
  readonly answer: Promise<Answer>;
  /** Resolves when standard output matches. */
  until(pattern: RegExp): Promise<void>;
}

export interface Sandbox {
  /** The workspace. */
  readonly dir: string;
  /** $CONVERGE_HOME. */
  readonly home: string;
  write(files: Readonly<Record<string, string>>): void;
  read(file: string): string;
  exists(file: string): boolean;
  git(...args: string[]): string;
  /** Makes the workspace a git repository with everything committed. */
  commitAll(message?: string): void;
  /** Sets the user's default isolation. It is off at first, because most tests do not need a sandboxed agent. */
  isolate(type: "auto" | "off" | "strict"): void;
  converge(...args: string[]): Promise<Answer>;
  /** Starts the CLI with `input` as standard input. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Started;
  /** The events of the newest run, from the store. */
  events(run?: string): Promise<RunEvent[]>;
}

export function answerOf(child: ChildProcess): { answer: Promise<Answer>; until: Started["until"] } {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listen of listeners) listen();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const events = () =>
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RunEvent);
  const answer = new Promise<Answer>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr, events }));
  });
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!pattern.test(stdout)) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void answer.then(() => reject(new Error(`ended before ${pattern} was seen:\n${stdout}\n${stderr}`)));
    });
  return { answer, until };
}

/** Writes the isolation type to the user's config file. */
function isolate(config: string, type: string): void {
  const folder = path.join(config, "converge");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "config.yaml"), `isolation: ${type}\n`);
}

/** `program` is the command line to use: the one of this repository unless a test has built another. */
export function sandbox(program = CLI): Sandbox {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-")));
  const dir = path.join(root, "workspace");
  const home = path.join(root, "home");
  const config = path.join(root, "config");
  fs.mkdirSync(dir);
  isolate(config, "off");
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(dir, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
    }
  };
  const identity = [
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@localhost",
    "-c",
    "init.defaultBranch=main",
  ];
  const git = (...args: string[]) =>
    execFileSync("git", [...identity, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" });

  const start: Sandbox["start"] = (args, env = {}, input) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: dir,
      env: {
        ...cleanEnvironment(),
        CONVERGE_HOME: home,
        XDG_CONFIG_HOME: config,
        LANG: "C.UTF-8",
        ...env,
      },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    child.stdin?.end(input);
    // A failed test must not leave a run behind.
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, ...answerOf(child) };
  };
  const converge = (...args: string[]) => start(args).answer;

  return {
    dir,
    home,
    write,
    read: (file) => fs.readFileSync(path.join(dir, file), "utf8"),
    exists: (file) => fs.existsSync(path.join(dir, file)),
    git,
    isolate: (type) => isolate(config, type),
    commitAll: (message = "start") => {
      git("init", "--quiet");
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", message);
    },
    converge,
    start,
    events: async (run = "last") => {
      const { stdout } = await converge("watch", run, "--json");
      return stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RunEvent);
    },
  };
}

/** The environment without the test runner's variables, which must not reach the programs under test. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_|TEST$|FORCE_COLOR|NO_COLOR|CI$|npm_)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Events of one type, narrowed. */
export function ofType<T extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}
