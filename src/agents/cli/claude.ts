// Driver for Claude Code: `claude -p` with JSON lines.

import type { Ask, Call, Driver } from "../shared/driver.ts";
import { claudeReader } from "./claude-reader.ts";
import { flag } from "./flag.ts";

/** Claude Code waits up to a minute per retry; Converge does longer waits, and shows them. */
const RETRIES = "2";
const MAX_RULES = 200;
const MAX_RULE_CHARS = 2_000;
const WRITE_TOOLS = "Bash,Edit,Write,NotebookEdit";

/**
 * A rule allows exactly its command; a trailing `:*` allows arguments too. Claude Code checks each part of a command joined
 * with && or ; separately, so only simple commands get arguments. A star matches anything, so a rule that starts with one
 * would allow everything.
 */
function rulesFor(command: string): string[] {
  const words = command.trim();
  if (words === "" || words.startsWith("*") || words.length > MAX_RULE_CHARS) return [];
  const exact = `Bash(${words})`;
  return /[;&|<>`$\n]/.test(words) ? [exact] : [exact, `Bash(${words}:*)`];
}

/** Allows reading outside its folder; an absolute path in a rule starts with two slashes. */
const readRule = (folder: string): string => `Read(/${folder}/**)`;

function permissions({ access, permissions, commands, root, tier, told }: Ask): Call {
  if (access === "read") return { args: ["--permission-mode", "default", "--disallowedTools", WRITE_TOOLS] };
  if (permissions === "all") {
    // As root it refuses, unless it is told that it runs in a sandbox; we say so only when it does.
    const isSandboxed = root && tier !== "basic";
    return { args: ["--dangerously-skip-permissions"], ...(isSandboxed && { env: { IS_SANDBOX: "1" } }) };
  }
  const reads = told === undefined ? [] : [readRule(told)];
  const allow = [...reads, ...commands.flatMap(rulesFor).slice(0, MAX_RULES)];
  // Passed as settings, because --allowedTools splits at blanks and brackets.
  const settings = ["--settings", JSON.stringify({ permissions: { allow } })];
  return { args: ["--permission-mode", "acceptEdits", ...(allow.length > 0 ? settings : [])] };
}

function call(ask: Ask): Call {
  const { args, env } = permissions(ask);
  const model = flag("--model", ask.model);
  const session = flag("--resume", ask.session);
  return {
    args: ["-p", "--output-format", "stream-json", "--verbose", ...model, ...session, ...args],
    env: { CLAUDE_CODE_MAX_RETRIES: RETRIES, DISABLE_AUTOUPDATER: "1", ...env },
  };
}

export const claude: Driver<"claude"> = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  login: {
    how: "run `claude` once and log in, or set ANTHROPIC_API_KEY (or CLAUDE_CODE_OAUTH_TOKEN, from `claude setup-token`)",
    variables: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
      "CLAUDE_CODE_USE_FOUNDRY",
    ],
    files: [".claude/.credentials.json"],
  },
  variables: [
    "ANTHROPIC_*",
    "CLAUDE_*",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_PROMPT_CACHING",
    "MAX_THINKING_TOKENS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "AWS_REGION",
    "AWS_PROFILE",
    "AWS_BEARER_TOKEN_BEDROCK",
    "CLOUD_ML_REGION",
  ],
  state: [".claude", ".claude.json"],
  settings: [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/CLAUDE.md",
    ".claude/agents",
    ".claude/commands",
    ".claude/hooks",
    ".claude/plugins",
    ".claude/skills",
  ],
  stdin: true,
  resumes: true,
  knowsCommands: true,
  call,
  reader: claudeReader,
};
