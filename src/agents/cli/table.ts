// Drivers of CLIs that need no code of their own: arguments, the option for the model, permissions and the output reader.
import path from "node:path";
import type { Ask, Call, Driver } from "../shared/driver.ts";
import { aiderText } from "./aider-reader.ts";
import { ampSettings } from "./amp-settings.ts";
import { copilotEvents } from "./copilot-reader.ts";
import { copilotRules } from "./copilot-rules.ts";
import { flag } from "./flag.ts";
import { gooseEvents } from "./goose-reader.ts";
import { piEvents } from "./pi-reader.ts";
import { streamJson } from "./stream-json-reader.ts";

/** Arguments, or a function that builds them. */
type Part = readonly string[] | ((ask: Ask) => Call);

interface Row<Name extends string> extends Omit<Driver<Name>, "resumes" | "call"> {
  /** Arguments of every call. */
  readonly args: Part;
  /** The option for the model. */
  readonly model: string;
  /** Arguments to resume a session, before all others; absent when the CLI cannot resume. */
  readonly resume?: (session: string) => readonly string[];
  /** Arguments for `permissions: auto`, for `all`, and for read-only access. */
  readonly auto: Part;
  readonly all: Part;
  readonly read: Part;
}

const PROVIDERS = [
  "ANTHROPIC_*",
  "OPENAI_*",
  "OPENROUTER_*",
  "GEMINI_API_KEY",
  "GOOGLE_*",
  "DEEPSEEK_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "MISTRAL_API_KEY",
  "AZURE_*",
  "OLLAMA_*",
];
const KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"];

const usageFile = (ask: Ask) => path.join(ask.reports, "usage.json");

function buildCall(part: Part, ask: Ask): Call {
  return typeof part === "function" ? part(ask) : { args: part };
}

function driverOf<const Name extends string>(row: Row<Name>): Driver<Name> {
  const { args, model, resume, auto, all, read, ...facts } = row;
  return {
    ...facts,
    resumes: resume !== undefined,
    call: (ask) => {
      const base = buildCall(args, ask);
      const access = buildCall(ask.access === "read" ? read : { auto, all }[ask.permissions], ask);
      const session = ask.session === undefined ? [] : (resume?.(ask.session) ?? []);
      const modelArgs = flag(model, ask.model);
      return {
        args: [...session, ...base.args, ...access.args, ...modelArgs],
        env: { ...base.env, ...access.env },
      };
    },
  };
}

export const copilot = driverOf({
  name: "copilot",
  title: "Copilot CLI",
  program: "copilot",
  install: "npm install -g @github/copilot",
  login: {
    how: "run copilot and then /login in it, or set COPILOT_GITHUB_TOKEN, or run gh auth login",
    variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"],
    files: [".config/gh/hosts.yml"],
  },
  variables: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"],
  state: [".copilot", ".cache/copilot"],
  settings: [".copilot/settings.json", ".copilot/mcp-config.json", ".copilot/hooks", ".copilot/agents"],
  stdin: true,
  knowsCommands: true,
  args: (ask) => ({
    args: [
      ...["--output-format", "json", "--no-color", "--no-auto-update", "--no-ask-user"],
      ...["--usage-output-file", usageFile(ask)],
    ],
  }),
  model: "--model",
  resume: (session) => [`--resume=${session}`],
  auto: ({ commands }) => ({ args: ["--allow-tool=write", ...copilotRules(commands)] }),
  all: ["--allow-all"],
  read: ["--available-tools=view,grep,glob"],
  usageOfSession: true,
  reader: (ask) => copilotEvents(ask && usageFile(ask)),
});

export const cursor = driverOf({
  name: "cursor",
  title: "Cursor agent",
  program: "cursor-agent",
  install: "curl https://cursor.com/install -fsS | bash",
  login: {
    how: "run cursor-agent login, or set CURSOR_API_KEY",
    variables: ["CURSOR_API_KEY"],
    files: [".config/cursor/auth.json"],
  },
  variables: ["CURSOR_*"],
  state: [".cursor", ".config/cursor"],
  settings: [".cursor/cli-config.json", ".cursor/mcp.json", ".cursor/hooks.json"],
  stdin: true,
  knowsCommands: false,
  args: ["-p", "--output-format", "stream-json", "--trust"],
  model: "--model",
  resume: (session) => [`--resume=${session}`],
  // Without --force it only proposes its edits.
  auto: ["--force"],
  all: ["--force", "--sandbox", "disabled", "--approve-mcps"],
  read: ["--mode", "ask"],
  reader: () => streamJson("Cursor agent"),
});

export const amp = driverOf({
  name: "amp",
  title: "Amp",
  program: "amp",
  install: "npm install -g @ampcode/cli",
  login: {
    how: "run amp login, or set AMP_API_KEY",
    variables: ["AMP_API_KEY"],
    files: [".local/share/amp/secrets.json"],
  },
  variables: ["AMP_*"],
  state: [".config/amp", ".local/share/amp", ".cache/amp"],
  settings: [".config/amp/settings.json", ".config/amp/plugins", ".config/amp/skills"],
  stdin: true,
  knowsCommands: true,
  args: ["--execute", "--stream-json", "--no-archive-after-execute"],
  model: "--mode",
  resume: (session) => ["threads", "continue", session],
  auto: ampSettings,
  all: ampSettings,
  read: ampSettings,
  reader: () => streamJson("Amp"),
});

export const goose = driverOf({
  name: "goose",
  title: "goose",
  program: "goose",
  install: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash",
  login: {
    how: "run goose configure, or set GOOSE_PROVIDER, GOOSE_MODEL and the provider's key",
    variables: ["GOOSE_PROVIDER"],
    files: [".config/goose/config.yaml"],
  },
  variables: ["GOOSE_*", ...PROVIDERS],
  state: [".config/goose", ".local/share/goose", ".local/state/goose"],
  settings: [".config/goose/config.yaml", ".config/goose/permission.yaml"],
  stdin: true,
  knowsCommands: false,
  args: ["run", "--instructions", "-", "--output-format", "stream-json", "--quiet", "--no-session"],
  model: "--model",
  // All other modes that edit ask for confirmation.
  auto: () => ({ args: [], env: { GOOSE_MODE: "auto" } }),
  all: () => ({ args: [], env: { GOOSE_MODE: "auto" } }),
  // Chat mode has no tools: it answers from the prompt alone.
  read: () => ({ args: [], env: { GOOSE_MODE: "chat" } }),
  reader: gooseEvents,
});

export const pi = driverOf({
  name: "pi",
  title: "pi",
  program: "pi",
  install: "npm install -g @earendil-works/pi-coding-agent",
  login: {
    how: "run pi and then /login in it, or set the key of a provider such as ANTHROPIC_API_KEY",
    variables: KEYS,
    files: [".pi/agent/auth.json", ".pi/agent/models.json"],
  },
  variables: ["PI_*", ...PROVIDERS],
  state: [".pi/agent"],
  settings: [".pi/agent/settings.json", ".pi/agent/models.json", ".pi/agent/extensions"],
  stdin: true,
  knowsCommands: false,
  args: ["--mode", "json"],
  model: "--model",
  resume: (session) => ["--session", session],
  // Pi has no permission settings.
  auto: [],
  all: [],
  read: ["--tools", "read,grep,find,ls", "--no-extensions"],
  reader: piEvents,
});

export const aider = driverOf({
  name: "aider",
  title: "aider",
  program: "aider",
  install: "python -m pip install aider-install && aider-install",
  login: {
    how: "set the key of a provider such as ANTHROPIC_API_KEY or OPENAI_API_KEY",
    variables: KEYS,
    files: [".aider.conf.yml", ".aider/oauth-keys.env"],
  },
  variables: ["AIDER_*", ...PROVIDERS],
  state: [".aider"],
  settings: [],
  stdin: false,
  knowsCommands: false,
  args: ({ promptFile }) => ({
    args: [
      ...["--message-file", promptFile, "--yes-always", "--no-pretty", "--no-stream", "--no-fancy-input"],
      // Only change files: no commits, no ignore file, no history files.
      ...["--no-auto-commits", "--no-dirty-commits", "--no-gitignore"],
      ...["--chat-history-file", "/dev/null", "--input-history-file", "/dev/null"],
      ...["--no-check-update", "--no-show-release-notes", "--no-analytics", "--no-detect-urls"],
      "--no-suggest-shell-commands",
    ],
  }),
  model: "--model",
  // Aider never runs a command without manual confirmation.
  auto: [],
  all: [],
  read: ["--chat-mode", "ask", "--dry-run"],
  reader: aiderText,
});
