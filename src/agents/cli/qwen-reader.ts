// Reads the output of Qwen Code with --output-format stream-json.
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader } from "../shared/driver.ts";
import { refusedCommand, refusedTool } from "../shared/refusal.ts";
import { type Dialect, type StreamJson, streamJsonReader } from "./stream-json-reader.ts";

const TITLE = "Qwen Code";
/** A service error arrives as text of the model, in a result marked as success. */
const API_ERROR = /^\[API Error: ([\s\S]+)/;

/** Text that the model really wrote has output tokens. */
function apiFailure({ text, outputTokens }: StreamJson, { now }: Ended): Failed | undefined {
  const reason = outputTokens === 0 ? API_ERROR.exec(text)?.[1] : undefined;
  if (reason === undefined) return undefined;
  return classify(reason, now) ?? { failure: "crashed", reason };
}

const QWEN: Dialect = {
  model: "messages",
  message: "text",
  // Its result reports the usage of the whole session.
  usage: "messages",
  inputIncludesCached: true,
  refusal: ({ tool, on }) =>
    tool === "run_shell_command"
      ? refusedCommand(TITLE, on)
      : refusedTool(TITLE, { tool, on }, "tools.allowed in its own settings"),
  failure: apiFailure,
};

export function qwenReader(): Reader {
  return streamJsonReader(QWEN);
}
