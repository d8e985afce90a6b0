// The coding agents of this machine: what is installed, which version, and whether it is logged in.
import os from "node:os";
import { DRIVERS } from "#agents/cli/drivers";
import { loginOf } from "#agents/cli/login";
import type { Driver } from "#agents/shared/driver";
import { ask } from "#system/ask";
import { which } from "#system/which";
import { oneLine } from "#text/plain-text";

export interface InstalledAgent {
  readonly name: string;
  readonly title: string;
  /** The file that is run; absent when it is not installed. */
  readonly program?: string;
  readonly version?: string;
  readonly login: "yes" | "no" | "unknown";
  /** What says that it is logged in, or what to do. */
  readonly about: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Starting some of them takes seconds. */
const VERSION_MS = 15_000;
const VERSION_CHARS = 40;

function programOf({ program }: Driver, env: Env): string | undefined {
  return which(program, env.PATH ?? "");
}

/** Some print a sentence around it. */
function versionIn(answer: string): string {
  return /\d+\.\d+[\w.+-]*/.exec(answer)?.[0] ?? oneLine(answer, VERSION_CHARS);
}

async function lookAt(driver: Driver, env: Env): Promise<InstalledAgent> {
  const { name, title, install } = driver;
  const program = programOf(driver, env);
  if (program === undefined) return { name, title, login: "unknown", about: `install: ${install}` };
  const answer = await ask(program, ["--version"], { cwd: os.tmpdir(), timeoutMs: VERSION_MS });
  const version = answer === undefined ? {} : { version: versionIn(answer) };
  return { name, title, program, ...version, ...loginOf(driver, env) };
}

/** All that Converge knows, in the order it looks for them. */
export function agentsHere(env: Env): Promise<InstalledAgent[]> {
  return Promise.all(DRIVERS.map((driver) => lookAt(driver, env)));
}

/** Who works when nobody is named: the first that is installed, logged in if there is one. */
export function firstAgent(env: Env): { readonly name: string; readonly title: string } | undefined {
  const installed = DRIVERS.filter((driver) => programOf(driver, env) !== undefined);
  return installed.find((driver) => loginOf(driver, env).login === "yes") ?? installed[0];
}
