// Detects installed coding agents: program, version and login.
import os from "node:os";
import { DRIVERS } from "#agents/cli/drivers";
import { loginOf } from "#agents/cli/login";
import type { Driver } from "#agents/shared/driver";
import { callProgram } from "#system/call-program";
import { which } from "#system/which";
import { oneLine } from "#text/plain-text";

export interface InstalledAgent {
  readonly name: string;
  readonly title: string;
  /** Path of the executable; absent when the agent is not installed. */
  readonly program?: string;
  readonly version?: string;
  readonly login: "yes" | "no" | "unknown";
  /** Evidence of the login, or how to install or log in. */
  readonly about: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Timeout of `--version`. Some agents take seconds to start. */
const VERSION_TIMEOUT_MS = 15_000;
const VERSION_CHARS = 40;

function programOf({ program }: Driver, env: Env): string | undefined {
  return which(program, env.PATH ?? "");
}

/** Extracts the version number; some agents print a sentence around it. */
function parseVersion(answer: string): string {
  return /\d+\.\d+[\w.+-]*/.exec(answer)?.[0] ?? oneLine(answer, VERSION_CHARS);
}

async function detectAgent(driver: Driver, env: Env): Promise<InstalledAgent> {
  const { name, title, install } = driver;
  const program = programOf(driver, env);
  if (program === undefined) return { name, title, login: "unknown", about: `install: ${install}` };
  const { stdout, exitCode } = await callProgram({
    command: [program, "--version"],
    input: "",
    cwd: os.tmpdir(),
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  const version = exitCode === 0 ? { version: parseVersion(stdout) } : {};
  return { name, title, program, ...version, ...loginOf(driver, env) };
}

/** Detects every supported agent, in order of preference. */
export function detectAgents(env: Env): Promise<InstalledAgent[]> {
  return Promise.all(DRIVERS.map((driver) => detectAgent(driver, env)));
}

/** The default agent: the first installed one that is logged in, else the first installed one. */
export function firstAgent(env: Env): { readonly name: string; readonly title: string } | undefined {
  const installed = DRIVERS.filter((driver) => programOf(driver, env) !== undefined);
  return installed.find((driver) => loginOf(driver, env).login === "yes") ?? installed[0];
}
