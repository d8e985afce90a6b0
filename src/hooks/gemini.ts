// Gemini CLI: an AfterAgent hook that denies makes the session go on.
import path from "node:path";
import type { SessionLoop } from "#spec/session";
import type { CommandHost, Happening, HookInput } from "./command-hook.ts";
import { withPromiseTags } from "./escaped-promise.ts";
import { markOf, saidSince } from "./gemini-response.ts";

/**
 * Esc and errors of the service call the hook as well, and whoever goes on then is called again at once, without the model
 * being asked: a turn that added nothing to the response ends the loop.
 */
function turnOf(input: HookInput, loop: SessionLoop | undefined): Happening {
  const { prompt = "", prompt_response: told } = input;
  const response = { prompt, text: typeof told === "string" ? told : "" };
  const message = saidSince(loop?.mark ?? 0, response);
  if (message === "")
    return {
      type: "broken-off",
      reason: "the turn ended without a word, as it does when it is interrupted or the model cannot be asked",
    };
  return { type: "turn", turn: { message: withPromiseTags(message), mark: markOf(response) } };
}

function read(event: string, input: HookInput, loop: SessionLoop | undefined): Happening {
  // Our own words come by here as well; they begin with a bracket, and are no command.
  if (event === "before") return { type: "typed", text: input.prompt ?? "" };
  if (event === "after") return turnOf(input, loop);
  // Any other end may be followed by `gemini --resume`, under the same name.
  return input.reason === "clear" ? { type: "gone", reason: "the session was cleared" } : { type: "nothing" };
}

export const gemini: CommandHost = {
  name: "gemini",
  events: ["before", "after", "end"],
  read,
  dirOf: ({ cwd }) => path.resolve(cwd ?? process.cwd()),
  started: (loop, said) => ({
    hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: loop.words },
    systemMessage: said,
  }),
  // The reason is shown only when there is no message, and a denied prompt is not seen by the model.
  refused: (said) => ({ decision: "deny", reason: said }),
  goesOn: (loop, said) => ({ decision: "deny", reason: loop.words, systemMessage: said }),
  letsGo: (said) => (said === undefined ? {} : { systemMessage: said }),
};
