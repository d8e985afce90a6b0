// Runs shell scripts in a sandbox with the built CLI as `converge`, with or without a pseudo-terminal.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Sandbox } from "./sandbox.ts";

const CLI = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));

export interface Shell {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  printed(): string;
  /** Types the text. */
  type(text: string): void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

function watch(child: ChildProcess): Shell {
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    printed: () => output,
    type: (text) => void child.stdin?.write(text),
    ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, output }))),
  };
}

function environment(box: Sandbox, extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const config = path.join(path.dirname(box.dir), "config");
  return { PATH, HOME, LANG: "C.UTF-8", CONVERGE_HOME: box.home, XDG_CONFIG_HOME: config, ...extra };
}

const known = (script: string) => `converge() { "${process.execPath}" "${CLI}" "$@"; }\n${script}`;

/** Runs the script without a terminal. */
export function shell(box: Sandbox, script: string): Shell {
  return watch(spawn("sh", ["-c", known(script)], { cwd: box.dir, env: environment(box, {}) }));
}

/** Runs the script in a terminal of 100 columns and 30 rows. */
export function terminal(box: Sandbox, script: string, extra: Readonly<Record<string, string>> = {}): Shell {
  const inside = known(`stty cols 100 rows 30\n${script}`);
  const env = environment(box, { TERM: "xterm-256color", SCRIPT: inside, ...extra });
  const args = ["--quiet", "--return", "--command", 'sh -c "$SCRIPT"', "/dev/null"];
  return watch(spawn("script", args, { cwd: box.dir, env }));
}
