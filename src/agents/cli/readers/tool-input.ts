// What a tool is used on, in a few words: the command, the file, what is looked for.
import { isObject, type Json, textAt } from "../read-json.ts";

const TELLING = ["command", "cmd", "path", "file_path", "filePath", "pattern", "query", "url"];
const CHARS = 300;

function named(input: Json): string {
  return Object.entries(input)
    .map(([key, value]) => (typeof value === "object" ? key : `${key}: ${value}`))
    .join(", ");
}

export function toolInput(input: unknown): string {
  if (!isObject(input)) return "";
  const telling = TELLING.map((key) => textAt(input, key)).find((text) => text !== "");
  return (telling ?? named(input)).slice(0, CHARS);
}
