// Runs the real Claude Code headless in its own HOME and project folder, with the scripted model.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { RunEvent } from "#spec/event";
import { temporary } from "./folders.ts";
import type { Script, Turn } from "./model-server/script.ts";
import { type ModelServer, startModelServer } from "./model-server/server.ts";
import { realAgents } from "./real-agents.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
export const PLUGIN = path.join(ROOT, "plugins/claude-code");

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Session {
  readonly id: string;
  /** Sends one prompt and waits until Claude Code exits. The first call starts the session, later calls resume it. */
  type(prompt: string): Promise<Done>;
  /** Like `type`, but returns the running process. */
  begin(prompt: string): { readonly child: ChildProcess; readonly done: Promise<Done> };
}

export interface ClaudeWorld {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly server: ModelServer;
  session(...args: readonly string[]): Session;
  /** Runs `claude` with any arguments. */
  claude(...args: readonly string[]): Promise<Done>;
  /** Runs `converge` with --json and returns the parsed lines. */
  converge<T = RunEvent>(...args: readonly string[]): Promise<T[]>;
}

/** Script that picks the turns by the task named in the request, and the turn by the number of earlier answers. */
export function byTask(turns: Readonly<Record<string, readonly Turn[]>>): Script {
  return (_, { body }) => {
    const { messages } = JSON.parse(body) as { messages: readonly { readonly role: string }[] };
    const task = Object.keys(turns).find((name) => body.includes(name)) ?? "";
    return turns[task]?.[messages.filter(({ role }) => role === "assistant").length] ?? { say: "Done." };
  };
}

function started(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const done = new Promise<Done>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
  return { child, done };
}

export async function claudeWorld(script: Script): Promise<ClaudeWorld> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const root = temporary();
  const dir = path.join(root, "project");
  fs.mkdirSync(path.join(root, "config/converge"), { recursive: true });
  fs.writeFileSync(path.join(root, "config/converge/config.yaml"), "isolation: off\n");
  fs.mkdirSync(dir);
  const env: NodeJS.ProcessEnv = {
    ...realAgents.claude.world(server, root, { retries: 0 }),
    CONVERGE_HOME: path.join(root, "state"),
    XDG_CONFIG_HOME: path.join(root, "config"),
  };
  const claude = (...args: readonly string[]) => started("claude", args, dir, env).done;
  const converge = async <T>(...args: readonly string[]) => {
    const program = path.join(ROOT, "bin/converge.js");
    const { stdout } = await started(process.execPath, [program, ...args, "--json"], dir, env).done;
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as T);
  };
  const session = (...args: readonly string[]): Session => {
    const id = randomUUID();
    let begun = false;
    const begin = (prompt: string) => {
      const which = [begun ? "--resume" : "--session-id", id];
      begun = true;
      return started("claude", [...which, "--allowedTools", "Bash", ...args, "-p", prompt], dir, env);
    };
    return { id, begin, type: (prompt) => begin(prompt).done };
  };
  return { dir, env, server, session, claude, converge };
}

/** Input of the model in each turn: the texts since its last answer. */
export function toldIn({ asked }: ModelServer): string[] {
  return asked
    .filter(({ turn }) => turn !== undefined)
    .map(({ body }) => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
      const since = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
      return since
        .flatMap(({ content }) => (typeof content === "string" ? [{ text: content }] : (content as object[])))
        .map((block) => ("text" in block ? String(block.text) : JSON.stringify(block)))
        .join("\n");
    });
}
