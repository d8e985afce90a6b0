// Codex host: a Stop hook that blocks makes the session continue. Esc and service errors call no Stop hook, so the loop
// continues after the user's next turn. The end of a session is ignored, because any session can be resumed.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { usageSince } from "./codex-rollout.ts";
import { type CommandHost, type HookEvent, type HookInput, unescapePromiseTags } from "./command-hook.ts";

function turnOf(input: HookInput, loop: SessionLoop | undefined): HookEvent {
  const { last_assistant_message: message, transcript_path: file, model } = input;
  const usage = file && loop ? usageSince(file, loop.lastIterationAt) : undefined;
  return {
    type: "turn",
    turn: {
      message: unescapePromiseTags(message ?? ""),
      ...(usage && { usage }),
      ...(typeof model === "string" && { model }),
    },
  };
}

/** Replaces `/ralph` by `$ralph`: in Codex the commands are skills, which start with `$`. */
function withDollarCommands(said: string): string {
  return said.replace(/(?<!\S)\/(?=(?:cancel-)?ralph\b)/g, "$");
}

export const codex: CommandHost = {
  name: "codex",
  events: ["prompt", "stop"],
  read: (event, input, loop) =>
    event === "stop" ? turnOf(input, loop) : { type: "typed", text: input.prompt ?? "" },
  dirOf: ({ cwd }) => path.resolve(cwd ?? process.cwd()),
  startOutput: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: loop.words },
    systemMessage: said,
  }),
  blockOutput: (said) => ({ decision: "block", reason: withDollarCommands(said) }),
  continueOutput: (loop, said) => ({ decision: "block", reason: loop.words, systemMessage: said }),
  allowOutput: (said) => (said === undefined ? {} : { systemMessage: withDollarCommands(said) }),
};
