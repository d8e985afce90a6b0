// What a tool is used on, in a few words: the command, the file, what is looked for.
import { isObject, type Json, textAt } from "../shared/read-json.ts";

/** As the CLIs call it; the first that is there says most. */
const TELLING = [
  ...["command", "cmd", "file_path", "filePath", "notebook_path", "pattern", "dir_path", "path"],
  ...["query", "url", "description", "skill"],
];
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
