// Driver for OpenAI Codex: `codex exec --json` with JSON lines.
import os from "node:os";
import path from "node:path";
import { readTail } from "#system/files";
import type { Ask, Call, Driver } from "../shared/driver.ts";
import { codexReader } from "./codex-reader.ts";
import { flag } from "./flag.ts";

const CONFIG_BYTES = 262_144;

/** Selects one of Codex's own sandboxes. */
function sandbox({ access, permissions, tier }: Ask): string[] {
  if (access === "read") return ["--sandbox", "read-only"];
  if (permissions === "all") return ["--dangerously-bypass-approvals-and-sandbox"];
  // In the strict tier its sandbox cannot be set up, and ours replaces it.
  return ["--sandbox", tier === "strict" ? "danger-full-access" : "workspace-write"];
}

/** Codex does not report its model, so it is read from its settings, unless they select a profile. */
function configuredModel(): string | undefined {
  const home = process.env.CODEX_HOME || path.join(os.homedir(), ".codex");
  const config = readTail(path.join(home, "config.toml"), CONFIG_BYTES);
  const [top = ""] = config.split(/^\s*\[/m);
  return /^\s*profile\s*=/m.test(top) ? undefined : /^\s*model\s*=\s*["']([^"'\n]+)["']/m.exec(top)?.[1];
}

function call(ask: Ask): Call {
  const model = flag("--model", ask.model);
  const session = flag("resume", ask.session);
  const unattended = ["--skip-git-repo-check", "--config", 'approval_policy="never"'];
  const configured = configuredModel();
  return {
    args: ["exec", "--json", ...unattended, ...model, ...sandbox(ask), ...session, "-"],
    ...(configured !== undefined && { model: configured }),
  };
}

export const codex: Driver<"codex"> = {
  name: "codex",
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  login: {
    how: "run `codex login`, or set CODEX_API_KEY (or the variable that your model provider in ~/.codex/config.toml names)",
    variables: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    files: [".codex/auth.json"],
  },
  variables: ["CODEX_*", "OPENAI_*", "AZURE_OPENAI_API_KEY"],
  state: [".codex"],
  settings: [
    ".codex/config.toml",
    ".codex/AGENTS.md",
    ".codex/hooks.json",
    ".codex/plugins",
    ".codex/prompts",
    ".codex/rules",
    ".codex/skills",
  ],
  stdin: true,
  resumes: true,
  knowsCommands: false,
  usageOfSession: true,
  call,
  reader: codexReader,
};
