// Codex: a Stop hook that blocks makes the session go on. What ends a turn otherwise (Esc, an error of the service) calls no
// Stop hook: the user has taken over, and the loop goes on after the next turn. Nor does the end of a session say anything,
// since any session can be resumed under its name.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { usageSince } from "./codex-rollout.ts";
import type { CommandHost, Happening, HookInput } from "./command-hook.ts";
import { withPromiseTags } from "./escaped-promise.ts";

function turnOf(input: HookInput, loop: SessionLoop | undefined): Happening {
  const { last_assistant_message: message, transcript_path: file, model } = input;
  const usage = file && loop ? usageSince(file, loop.lastIterationAt) : undefined;
  return {
    type: "turn",
    turn: {
      message: withPromiseTags(message ?? ""),
      ...(usage && { usage }),
      ...(typeof model === "string" && { model }),
    },
  };
}

/** Its commands are skills, called with `$`: what begins with a slash does not leave Codex's composer. */
function inItsWords(said: string): string {
  return said.replace(/(?<!\S)\/(?=(?:cancel-)?ralph\b)/g, "$");
}

export const codex: CommandHost = {
  name: "codex",
  events: ["prompt", "stop"],
  read: (event, input, loop) =>
    event === "stop" ? turnOf(input, loop) : { type: "typed", text: input.prompt ?? "" },
  dirOf: ({ cwd }) => path.resolve(cwd ?? process.cwd()),
  started: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: loop.words },
    systemMessage: said,
  }),
  refused: (said) => ({ decision: "block", reason: inItsWords(said) }),
  goesOn: (loop, said) => ({ decision: "block", reason: loop.words, systemMessage: said }),
  letsGo: (said) => (said === undefined ? {} : { systemMessage: inItsWords(said) }),
};
