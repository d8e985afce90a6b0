// Runs a real agent CLI as a script would, and waits until it exits.
import { spawn } from "node:child_process";
import type { AgentName, Environment } from "./real-agents.ts";

export interface Called {
  /** `null` when a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly dir: string;
  /** Sent by stdin, because it may be long. */
  readonly prompt: string;
  /** Timeout after which the whole process group is killed. */
  readonly timeoutMs?: number;
}

/** Arguments for an unattended call of each CLI, with permission to edit files and use its shell. */
export const UNATTENDED: Readonly<Record<AgentName, { args: readonly string[]; env?: Environment }>> = {
  claude: {
    args: [
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    ],
  },
  codex: { args: ["exec", "--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"] },
  opencode: { args: ["run", "--format", "json"] },
  gemini: {
    args: ["--output-format", "stream-json", "--approval-mode", "yolo"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
};

export function callAgent(name: AgentName, { args, env, dir, prompt, timeoutMs }: Call): Promise<Called> {
  const child = spawn(name, args, { cwd: dir, env: { ...env }, detached: true });
  const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const timer = setTimeout(end, timeoutMs ?? 240_000);
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      printed[stream] += text;
    });
  // A CLI that exits before it has read its prompt closes the pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(prompt);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, ...printed });
    });
  });
}
