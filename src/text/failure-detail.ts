// Avoids showing a diagnostic's message twice: its id already contains the message ("a.ts: TS2322 Type …").
import type { Failure } from "#spec/verdict";

/** The part of the message that the id does not contain. */
export function detailBeyondId({ id, message }: Failure): string {
  const [first = "", ...rest] = message.split("\n");
  const firstLine = first.replace(/\s+/g, " ").trim();
  return id?.includes(`: ${firstLine}`) ? rest.join("\n") : message;
}
