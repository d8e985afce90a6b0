// Claude Code: its hooks speak JSON, and a Stop hook that blocks makes the session go on.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { raiseCap } from "./claude-cap.ts";
import { BLOCK_CAP, blockCap, HOOKS, readSettings, settingsFiles } from "./claude-settings.ts";
import { readTurn } from "./claude-transcript.ts";
import type { CommandHost, HookInput } from "./command-hook.ts";
import { ownHooks } from "./hook-text.ts";

const projectOf = ({ cwd }: HookInput, env: NodeJS.ProcessEnv) =>
  path.resolve(env.CLAUDE_PROJECT_DIR || cwd || process.cwd());

/** Claude Code stops a loop by itself after so many turns without a tool call, unless it is told of more. */
function advice({ maxIterations }: SessionLoop, input: HookInput, env: NodeJS.ProcessEnv) {
  const cap = blockCap(env[BLOCK_CAP]);
  if (cap >= maxIterations) return undefined;
  const file = raiseCap(maxIterations, projectOf(input, env), env);
  if (file !== undefined)
    return `${BLOCK_CAP} was ${cap} and is ${maxIterations} now, in ${file}: with less, Claude Code would stop the loop by itself.`;
  return `Claude Code lets go by itself after ${cap} turns in a row without a tool call, and the loop then goes on after your next message; to have it go on alone, put "env": {"${BLOCK_CAP}": "${maxIterations}"} into the settings of Claude Code.`;
}

/** Installed in the settings too: one of both must not answer, or every turn would be counted twice. */
function standsBack(event: string, input: HookInput, env: NodeJS.ProcessEnv): boolean {
  if (!env.CLAUDE_PLUGIN_ROOT) return false;
  const hook = Object.entries(HOOKS).find(([, name]) => name === event)?.[0] ?? "";
  return settingsFiles(projectOf(input, env), env).some(
    (file) => ownHooks(readSettings(file)?.settings, "claude", hook).length > 0,
  );
}

async function read(event: string, input: HookInput, loop: SessionLoop | undefined) {
  switch (event) {
    case "prompt":
      return { type: "typed" as const, text: input.prompt ?? "" };
    case "stop":
      // A subagent's turn is not the session's; and without a loop nobody waits for a file that is of no use.
      if (!loop || input.agent_id !== undefined) return { type: "nothing" as const };
      return { type: "turn" as const, turn: await readTurn(input, loop.lastIterationAt) };
    case "failure": {
      const { error, last_assistant_message: said } = input as HookInput & { readonly error?: unknown };
      const words = said || (typeof error === "string" && error) || "the turn broke off with an error";
      return { type: "turn" as const, turn: { message: "", error: words } };
    }
    default:
      // Any other end may be followed by `claude --resume`, under the same name.
      return input.reason === "clear"
        ? { type: "gone" as const, reason: "the session was cleared" }
        : { type: "nothing" as const };
  }
}

export const claude: CommandHost = {
  name: "claude",
  events: Object.values(HOOKS),
  read,
  standsBack,
  dirOf: projectOf,
  started: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: loop.words },
    systemMessage: said,
  }),
  refused: (said) => ({ decision: "block", reason: said }),
  goesOn: (loop, said) => ({ decision: "block", reason: loop.words, systemMessage: said }),
  letsGo: (said) => (said === undefined ? {} : { systemMessage: said }),
  advice,
};
