// Checks whether a coding-agent CLI is logged in, by environment variables and files.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { agentEnvironment } from "#system/environment";
import type { Driver } from "../shared/driver.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface Login {
  readonly login: "yes" | "no" | "unknown";
  /** The evidence for the login, or what to do. */
  readonly about: string;
}

export function loginOf({ login }: Driver, env: Env): Login {
  const variable = login.variables.find((name) => (env[name] ?? "") !== "");
  if (variable !== undefined) return { login: "yes", about: `${variable} is set` };
  const home = env.HOME ?? os.homedir();
  const file = login.files.find((name) => fs.existsSync(path.join(home, name)));
  if (file !== undefined) return { login: "yes", about: `~/${file} exists` };
  // The CLI keeps its login where we cannot check.
  return login.variables.length + login.files.length === 0
    ? { login: "unknown", about: login.how }
    : { login: "no", about: login.how };
}

/**
 * Whether the login is certainly missing. It is not certain when settings of the CLI or vendor variables may configure
 * another login, or on macOS, which keeps logins in the keychain.
 */
export function isLoggedOut(driver: Driver, env: Env): boolean {
  if (process.platform === "darwin" || loginOf(driver, env).login !== "no") return false;
  const home = env.HOME ?? os.homedir();
  if (driver.settings.some((name) => fs.existsSync(path.join(home, name)))) return false;
  const vendors = agentEnvironment(env, driver.variables);
  const common = agentEnvironment(env, []);
  return Object.entries(vendors).every(([name, value]) => value === "" || name in common);
}
