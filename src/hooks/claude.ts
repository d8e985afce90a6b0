// Claude Code: its hooks speak JSON, and a Stop hook that blocks makes the session go on.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { readTurn } from "./claude-transcript.ts";
import type { CommandHost, HookInput } from "./command-hook.ts";

export const BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
const USUAL_CAP = 8;

/** Turns in a row without a tool call after which Claude Code lets go by itself. */
export function blockCap(value: string | undefined): number {
  const cap = value !== undefined && /^-?\d+$/.test(value.trim()) ? Number(value) : USUAL_CAP;
  return cap <= 0 ? Number.POSITIVE_INFINITY : cap;
}

function advice({ maxIterations }: SessionLoop, env: NodeJS.ProcessEnv): string | undefined {
  const cap = blockCap(env[BLOCK_CAP]);
  if (cap >= maxIterations) return undefined;
  return `Claude Code lets go by itself after ${cap} turns in a row without a tool call, and the loop then goes on after your next message; to have it go on alone, put "env": {"${BLOCK_CAP}": "${maxIterations}"} into the settings of Claude Code.`;
}

async function read(event: string, input: HookInput) {
  switch (event) {
    case "prompt":
      return { type: "typed" as const, text: input.prompt ?? "" };
    case "stop":
      return { type: "turn" as const, turn: await readTurn(input) };
    case "failure": {
      const { error } = input as { readonly error?: unknown };
      const words = typeof error === "string" ? error : "the turn broke off with an error";
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
  events: ["prompt", "stop", "failure", "end"],
  read,
  dirOf: ({ cwd }, env) => path.resolve(env.CLAUDE_PROJECT_DIR || cwd || process.cwd()),
  started: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: loop.words },
    systemMessage: said,
  }),
  refused: (said) => ({ decision: "block", reason: said }),
  goesOn: (loop, said) => ({ decision: "block", reason: loop.words, systemMessage: said }),
  letsGo: (said) => (said === undefined ? {} : { systemMessage: said }),
  advice,
};
