// Gemini CLI host: an AfterAgent hook that denies makes the session continue.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import { type CommandHost, type HookEvent, type HookInput, unescapePromiseTags } from "./command-hook.ts";
import { markOf, textSince } from "./gemini-response.ts";

/**
 * Esc and service errors call the hook too. Continuing then would call it again at once without a model request, so a turn
 * that adds nothing to the response ends the loop.
 */
function turnOf(input: HookInput, loop: SessionLoop | undefined): HookEvent {
  const { prompt = "", prompt_response: answer } = input;
  const response = { prompt, text: typeof answer === "string" ? answer : "" };
  const message = textSince(loop?.mark ?? 0, response);
  if (message === "")
    return {
      type: "broken-off",
      reason: "the turn ended without output: it was interrupted, or the model did not answer",
    };
  return { type: "turn", turn: { message: unescapePromiseTags(message), mark: markOf(response) } };
}

function read(event: string, input: HookInput, loop: SessionLoop | undefined): HookEvent {
  // Our own prompts arrive here too; they begin with a bracket, so they are never a command.
  if (event === "before") return { type: "typed", text: input.prompt ?? "" };
  if (event === "after") return turnOf(input, loop);
  // After any other end, `gemini --resume` may continue the session with the same id.
  return input.reason === "clear" ? { type: "gone", reason: "the session was cleared" } : { type: "nothing" };
}

export const gemini: CommandHost = {
  name: "gemini",
  events: ["before", "after", "end"],
  read,
  dirOf: ({ cwd }) => path.resolve(cwd ?? process.cwd()),
  startOutput: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: loop.words },
    systemMessage: said,
  }),
  // Gemini CLI shows the reason only without a systemMessage, and hides a denied prompt from the model.
  blockOutput: (said) => ({ decision: "deny", reason: said }),
  continueOutput: (loop, said) => ({ decision: "deny", reason: loop.words, systemMessage: said }),
  allowOutput: (said) => (said === undefined ? {} : { systemMessage: said }),
};
