// The policy file of one call of Gemini CLI: what it may do without asking.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writePrivate } from "#system/files";
import type { Ask } from "../shared/driver.ts";
import { simpleCommands, withoutRedirections } from "./simple-commands.ts";

type Value = string | number | boolean | readonly string[];

/** A JSON string is a TOML string. */
function rule(values: Readonly<Record<string, Value>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[rule]]\n${lines.join("\n")}\n`;
}

/** Low in the tier of the user: whatever the user's own policies say counts more. */
const [REFUSED, ALLOWED] = [1, 2];

function shellRules(commands: readonly string[]): string[] {
  // With nothing to run the shell would not be offered, and nobody would hear what is missing: so `true` may run.
  const simple = [...commands.flatMap(simpleCommands), "true"];
  const allowed = simple.map((command) => {
    const bare = withoutRedirections(command);
    const words = {
      toolName: "run_shell_command",
      commandPrefix: bare,
      decision: "allow",
      priority: ALLOWED,
    };
    return rule({ ...words, ...(bare !== command && { allowRedirection: true }) });
  });
  const list = commands.length === 0 ? "no commands" : `these commands alone: ${commands.join(" ; ")}`;
  const denyMessage = `Nobody is here to allow this. You may run ${list}. Edit files with your tools for that.`;
  const [toolName, decision] = ["run_shell_command", "deny"];
  return [...allowed, rule({ toolName, decision, priority: REFUSED, argsPattern: ".", denyMessage })];
}

/** Without a person, leaving plan mode means that everything is allowed from then on. */
const NO_PLANS = rule({
  toolName: ["enter_plan_mode", "exit_plan_mode"],
  decision: "deny",
  priority: 999,
});

/** `--policy` takes the place of the user's own folder of policies, so that goes along. */
function ownPolicies(): string[] {
  const folder = path.join(process.env.GEMINI_CLI_HOME || os.homedir(), ".gemini", "policies");
  return fs.existsSync(folder) ? ["--policy", folder] : [];
}

/** The arguments that name it. */
export function policy({ access, commands, folder }: Ask): string[] {
  const rules = access === "read" ? [NO_PLANS] : [NO_PLANS, ...shellRules(commands)];
  const file = path.join(folder, "policy.toml");
  writePrivate(file, rules.join("\n"));
  return ["--policy", file, ...ownPolicies()];
}
