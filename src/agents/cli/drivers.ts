// The one list of coding-agent CLIs, in order of detection, and their definitions as agents.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { type Definition, defineAgent } from "#options/part";
import { text } from "#options/values";
import type { Agent } from "#spec/agent";
import { permissionOptions, processOptions } from "../shared/agent-options.ts";
import type { Driver } from "../shared/driver.ts";
import { claude } from "./claude.ts";
import { cliAgent } from "./cli-agent.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";
import { aider, amp, copilot, cursor, goose, pi } from "./table.ts";

export const DRIVERS = [
  claude,
  codex,
  opencode,
  gemini,
  qwen,
  copilot,
  cursor,
  amp,
  goose,
  pi,
  aider,
] as const satisfies readonly Driver[];

const cliOptions = z.strictObject({
  program: text.optional(),
  model: text.optional(),
  ...permissionOptions,
  args: z.array(z.string()).optional(),
  ...processOptions,
});

function defineCliAgent<Name extends string>(driver: Driver<Name>) {
  const { name, title, knowsCommands } = driver;
  return defineAgent({
    type: name,
    summary: `Runs ${title}.`,
    // Rejects `allow` for a CLI that ignores it, because the user would rely on it.
    options: cliOptions.refine(({ allow }) => knowsCommands || allow === undefined, {
      path: ["allow"],
      error: `has no effect: ${title} does not restrict single commands; docs/agents.md says how it is restricted`,
    }),
    create: (options, { commands, prices }) =>
      cliAgent(driver, { ...dropUndefined(options), commands, prices }),
  });
}

type CliAgents<Drivers extends readonly Driver[]> = {
  readonly [Index in keyof Drivers]: ReturnType<typeof defineCliAgent<Drivers[Index]["name"]>>;
};

/** Definitions of all drivers, with the same order and the names as literal types. */
export const CLI_AGENTS = DRIVERS.map(
  (driver: Driver): Definition<Agent, object> => defineCliAgent(driver),
) as readonly unknown[] as CliAgents<typeof DRIVERS>;
