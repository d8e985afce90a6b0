// Environments for the real agent CLIs: each has its own HOME and can reach only the scripted model server.
import fs from "node:fs";
import path from "node:path";
import { agentsBin, PACKAGES } from "./install-agents.ts";

export type AgentName = keyof typeof PACKAGES;
export type Environment = Readonly<Record<string, string>>;

export interface World {
  /** Number of retries by the CLI after a model error. Defaults to the CLI's own setting. */
  readonly retries?: number;
  /** Without an API key or login. */
  readonly loggedOut?: boolean;
}

export interface RealAgent {
  readonly name: AgentName;
  readonly version: string;
  /** The folder for PATH. */
  readonly bin: string;
  /** Writes the CLI's settings into a HOME below `dir`, and returns the whole environment to start it with. */
  world(server: { readonly url: string }, dir: string, world?: World): Environment;
}

const KEY = "test-key";
export const MODELS: Readonly<Record<AgentName, string>> = {
  claude: "claude-sonnet-4-5",
  codex: "gpt-5.5",
  opencode: "scripted/scripted-model",
  gemini: "gemini-2.5-flash",
};

type Settle = (url: string, home: string, world: World) => Environment;

function settings(home: string, file: string, text: string): void {
  const full = path.join(home, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, text);
}

const claude: Settle = (url, _home, { retries, loggedOut }) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_MODEL: MODELS.claude,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  ...(loggedOut ? {} : { ANTHROPIC_API_KEY: KEY }),
  ...(retries === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: String(retries) }),
});

const codex: Settle = (url, home, { retries, loggedOut }) => {
  const counts = ["request_max_retries", "stream_max_retries"];
  const lines = [
    `model = "${MODELS.codex}"`,
    'model_provider = "scripted"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.scripted]",
    'name = "Scripted"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
    ...(retries === undefined ? [] : counts.map((count) => `${count} = ${retries}`)),
  ];
  settings(home, ".codex/config.toml", `${lines.join("\n")}\n`);
  return loggedOut ? {} : { OPENAI_API_KEY: KEY };
};

const opencode: Settle = (url, home, { loggedOut }) => {
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { baseURL: `${url}/v1`, ...(loggedOut ? {} : { apiKey: KEY }) },
    models: {
      "scripted-model": { name: "Scripted", tool_call: true, limit: { context: 200_000, output: 8_000 } },
    },
  };
  const config = {
    $schema: "https://opencode.ai/config.json",
    provider: { scripted: provider },
    model: MODELS.opencode,
    small_model: MODELS.opencode,
    autoupdate: false,
    share: "disabled",
  };
  settings(home, ".config/opencode/opencode.json", JSON.stringify(config));
  return { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
};

const gemini: Settle = (url, home, { retries, loggedOut }) => {
  const config = {
    security: { auth: { selectedType: "gemini-api-key" } },
    model: { name: MODELS.gemini },
    privacy: { usageStatisticsEnabled: false },
    // maxAttempts includes the first attempt.
    general: { enableAutoUpdate: false, ...(retries === undefined ? {} : { maxAttempts: retries + 1 }) },
  };
  settings(home, ".gemini/settings.json", JSON.stringify(config));
  return { GOOGLE_GEMINI_BASE_URL: url, ...(loggedOut ? {} : { GEMINI_API_KEY: KEY }) };
};

function realAgent(name: AgentName, settle: Settle): RealAgent {
  return {
    name,
    version: PACKAGES[name].version,
    bin: agentsBin,
    world: (server, dir, world = {}) => {
      const [home, tmp] = [path.join(dir, "home"), path.join(dir, "tmp")];
      for (const folder of [home, tmp]) fs.mkdirSync(folder, { recursive: true });
      const PATH = [agentsBin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
      // Codex disables its sandbox when its home is below TMPDIR, so TMPDIR is a separate folder.
      return { PATH, HOME: home, TMPDIR: tmp, LANG: "C.UTF-8", ...settle(server.url, home, world) };
    },
  };
}

export const realAgents: Readonly<Record<AgentName, RealAgent>> = {
  claude: realAgent("claude", claude),
  codex: realAgent("codex", codex),
  opencode: realAgent("opencode", opencode),
  gemini: realAgent("gemini", gemini),
};
