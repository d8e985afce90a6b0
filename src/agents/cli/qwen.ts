// Driver for Qwen Code, a fork of Gemini CLI with its own output format; the prompt on standard input.
import fs from "node:fs";
import path from "node:path";
import { writePrivate } from "#system/files";
import { splitCommands, withoutRedirections } from "#system/shell";
import type { Ask, Driver } from "../shared/driver.ts";
import { flag } from "./flag.ts";
import { qwenReader } from "./qwen-reader.ts";

/** Disables its retries: it would wait ten times for a minute or more without output. Converge waits instead. */
const SETTINGS = { model: { generationConfig: { maxRetries: 0 } }, general: { enableAutoUpdate: false } };
const DEFAULTS_VARIABLE = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
const ADMIN_FOLDERS = ["/etc/qwen-code", "/Library/Application Support/QwenCode"];

/** Writes system defaults, which any user setting overrides; an administrator's file stays in force. */
function defaults({ folder }: Ask): Record<string, string> {
  const theirs = ADMIN_FOLDERS.map((place) => path.join(place, "system-defaults.json"));
  if (process.env[DEFAULTS_VARIABLE] || theirs.some((file) => fs.existsSync(file))) return {};
  const file = path.join(folder, "defaults.json");
  writePrivate(file, JSON.stringify(SETTINGS));
  return { [DEFAULTS_VARIABLE]: file };
}

function permissions({ access, permissions, commands }: Ask): string[] {
  if (access === "read") return ["--approval-mode", "default"];
  if (permissions === "all") return ["--approval-mode", "yolo"];
  const simple = new Set(commands.flatMap(splitCommands).map(withoutRedirections));
  const allowed = [...simple].flatMap((command) => ["--allowed-tools", `run_shell_command(${command})`]);
  return ["--approval-mode", "auto-edit", ...allowed];
}

export const qwen: Driver<"qwen"> = {
  name: "qwen",
  title: "Qwen Code",
  program: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  login: {
    how: "run `qwen auth`, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
    variables: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"],
    files: [".qwen/oauth_creds.json"],
  },
  variables: [
    "QWEN_*",
    "OPENAI_*",
    "DASHSCOPE_*",
    "BAILIAN_*",
    "ANTHROPIC_*",
    "GEMINI_*",
    "GOOGLE_*",
    "OPENROUTER_API_KEY",
  ],
  state: [".qwen"],
  settings: [
    ...["settings.json", "trustedFolders.json", "QWEN.md", ".env"],
    ...["commands", "extensions", "skills", "agents", "hooks"],
  ].map((name) => `.qwen/${name}`),
  stdin: true,
  resumes: true,
  knowsCommands: true,
  call: (ask) => ({
    args: [
      ...["--output-format", "stream-json"],
      ...flag("--model", ask.model),
      ...flag("--resume", ask.session),
      ...flag("--include-directories", ask.told),
      ...permissions(ask),
    ],
    env: defaults(ask),
  }),
  reader: qwenReader,
};
