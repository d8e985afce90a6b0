// Summarizes the input of a tool call: command, file, pattern or URL.
import { isObject, type Json, textAt } from "../shared/read-json.ts";

/** Names of the main parameter in different CLIs; the first present one is shown. */
const MAIN_KEYS = [
  ...["command", "cmd", "file_path", "filePath", "notebook_path", "pattern", "dir_path", "path"],
  ...["query", "url", "description", "skill"],
];
const CHARS = 300;

function describeAll(input: Json): string {
  return Object.entries(input)
    .map(([key, value]) => (typeof value === "object" ? key : `${key}: ${value}`))
    .join(", ");
}

export function toolInput(input: unknown): string {
  if (!isObject(input)) return "";
  const main = MAIN_KEYS.map((key) => textAt(input, key)).find((text) => text !== "");
  return (main ?? describeAll(input)).slice(0, CHARS);
}
