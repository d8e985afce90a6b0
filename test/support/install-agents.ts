// Installs pinned versions of the real agent CLIs into a cache folder, once for each set of versions.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

interface Package {
  readonly name: string;
  readonly version: string;
  /** The package's install script, which selects the binary for this platform. */
  readonly postinstall?: string;
}

export const PACKAGES = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.197", postinstall: "install.cjs" },
  codex: { name: "@openai/codex", version: "0.166.0" },
  opencode: { name: "opencode-ai", version: "1.18.33", postinstall: "postinstall.mjs" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0" },
} as const satisfies Record<string, Package>;

const packages: readonly Package[] = Object.values(PACKAGES);
const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));

function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  const what = JSON.stringify([versions, process.platform, process.arch]);
  const hash = createHash("sha256").update(what).digest("hex").slice(0, 16);
  return path.join(caches, "converge-test-agents", hash);
}

/** The folder for PATH. Exists after `installAgents`. */
export const agentsBin = path.join(cacheFolder(), "node_modules", ".bin");

function execute(program: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

function installInto(dir: string): void {
  const description = { name: "converge-test-agents", private: true, dependencies: versions };
  fs.writeFileSync(path.join(dir, "package.json"), JSON.stringify(description));
  execute("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], dir);
  for (const { name, postinstall } of packages)
    if (postinstall) execute(process.execPath, [postinstall], path.join(dir, "node_modules", name));
}

/** Installs into a temporary folder and renames it, so that concurrent installs are atomic. */
export function installAgents(): void {
  const folder = cacheFolder();
  if (fs.existsSync(folder)) return;
  console.log(`installing ${packages.map(({ name, version }) => `${name} ${version}`).join(", ")} …`);
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const fresh = fs.mkdtempSync(`${folder}-`);
  try {
    installInto(fresh);
    fs.renameSync(fresh, folder);
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error;
  }
}

/** Vitest global setup. */
export const setup = installAgents;
