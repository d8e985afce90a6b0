// Claude Code host: a Stop hook that blocks makes the session continue.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { raiseCap } from "./claude-cap.ts";
import { BLOCK_CAP, blockCap, HOOKS, readSettings, settingsFiles } from "./claude-settings.ts";
import { readTurn } from "./claude-transcript.ts";
import type { CommandHost, HookInput } from "./command-hook.ts";
import { ownHooks } from "./hook-text.ts";

const projectOf = ({ cwd }: HookInput, env: NodeJS.ProcessEnv) =>
  path.resolve(env.CLAUDE_PROJECT_DIR || cwd || process.cwd());

/** Raises Claude Code's cap on continued turns for longer loops, or tells the user how to. */
function advice({ maxIterations }: SessionLoop, input: HookInput, env: NodeJS.ProcessEnv) {
  const cap = blockCap(env[BLOCK_CAP]);
  if (cap >= maxIterations) return undefined;
  const file = raiseCap(maxIterations, projectOf(input, env), env);
  if (file !== undefined)
    return `Raised ${BLOCK_CAP} from ${cap} to ${maxIterations} in ${file}: with less, Claude Code would stop the loop early.`;
  return `Claude Code stops after ${cap} turns in a row without a tool call, and the loop then continues after your next message. To let it continue alone, add "env": {"${BLOCK_CAP}": "${maxIterations}"} to the settings of Claude Code.`;
}

/** The plugin's hook defers to hooks in the settings: if both answered, every turn would count twice. */
function isHandledByAnother(event: string, input: HookInput, env: NodeJS.ProcessEnv): boolean {
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
      // A subagent's turn is not the session's. Without a loop, the transcript is not needed.
      if (!loop || input.agent_id !== undefined) return { type: "nothing" as const };
      return { type: "turn" as const, turn: await readTurn(input, loop.lastIterationAt) };
    case "failure": {
      const { error, last_assistant_message: said } = input as HookInput & { readonly error?: unknown };
      const problem = said || (typeof error === "string" && error) || "the turn failed with an error";
      return { type: "turn" as const, turn: { message: "", error: problem } };
    }
    default:
      // After any other end, `claude --resume` may continue the session with the same id.
      return input.reason === "clear"
        ? { type: "gone" as const, reason: "the session was cleared" }
        : { type: "nothing" as const };
  }
}

export const claude: CommandHost = {
  name: "claude",
  events: Object.values(HOOKS),
  read,
  isHandledByAnother,
  dirOf: projectOf,
  startOutput: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: loop.words },
    systemMessage: said,
  }),
  blockOutput: (said) => ({ decision: "block", reason: said }),
  continueOutput: (loop, said) => ({ decision: "block", reason: loop.words, systemMessage: said }),
  allowOutput: (said) => (said === undefined ? {} : { systemMessage: said }),
  advice,
};
