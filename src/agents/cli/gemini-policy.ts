// Writes the policy file for one call of Gemini CLI: what it may do unattended.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writePrivate } from "#system/files";
import { splitCommands, withoutRedirections } from "#system/shell";
import type { Ask } from "../shared/driver.ts";

type Value = string | number | boolean | readonly string[];

/** Writes JSON strings, which are valid TOML strings. */
function rule(values: Readonly<Record<string, Value>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[rule]]\n${lines.join("\n")}\n`;
}

/** Low priorities in the user tier, so that the user's own policies win. */
const [REFUSED, ALLOWED] = [1, 2];

function shellRules(commands: readonly string[]): string[] {
  // Without any allowed command the shell tool would be hidden, and refusals would not be reported; so allow `true`.
  const simple = [...commands.flatMap(splitCommands), "true"];
  const allowed = simple.map((command) => {
    const bare = withoutRedirections(command);
    const allowRule = {
      toolName: "run_shell_command",
      commandPrefix: bare,
      decision: "allow",
      priority: ALLOWED,
    };
    return rule({ ...allowRule, ...(bare !== command && { allowRedirection: true }) });
  });
  const list = commands.length === 0 ? "no commands" : `only these commands: ${commands.join(" ; ")}`;
  const denyMessage = `No person is available to approve this. You may run ${list}. Edit files with your edit tools.`;
  const [toolName, decision] = ["run_shell_command", "deny"];
  return [...allowed, rule({ toolName, decision, priority: REFUSED, argsPattern: ".", denyMessage })];
}

/** Unattended, leaving plan mode would allow everything from then on. */
const DENY_PLAN_MODE = rule({
  toolName: ["enter_plan_mode", "exit_plan_mode"],
  decision: "deny",
  priority: 999,
});

/** `--policy` replaces the user's policy folder, so pass that too. */
function userPolicies(): string[] {
  const folder = path.join(process.env.GEMINI_CLI_HOME || os.homedir(), ".gemini", "policies");
  return fs.existsSync(folder) ? ["--policy", folder] : [];
}

/** Writes the file and returns the arguments that name it. */
export function policy({ access, commands, folder }: Ask): string[] {
  const rules = access === "read" ? [DENY_PLAN_MODE] : [DENY_PLAN_MODE, ...shellRules(commands)];
  const file = path.join(folder, "policy.toml");
  writePrivate(file, rules.join("\n"));
  return ["--policy", file, ...userPolicies()];
}
