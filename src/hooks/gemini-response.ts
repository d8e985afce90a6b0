// Extracts the new part of a response. Gemini CLI sends everything since the user's last prompt each time, so a mark stores
// the length already processed and a hash that identifies the response.
import { createHash } from "node:crypto";

const LENGTH_LIMIT = 2 ** 28;
const EMPTY_RESPONSE = "[no response text]";

export interface Response {
  /** The user's prompt that started the response. */
  readonly prompt: string;
  readonly text: string;
}

/** First 24 bits of a hash: together with the length they fit into one integer. */
function fingerprint({ prompt, text }: Response): number {
  return createHash("sha256")
    .update(JSON.stringify([prompt, text]))
    .digest()
    .readUIntBE(0, 3);
}

export function markOf(response: Response): number {
  return fingerprint(response) * LENGTH_LIMIT + response.text.length;
}

/** Returns the text added since the mark; empty when there is none. */
export function textSince(mark: number, { prompt, text }: Response): string {
  if (text.trim() === EMPTY_RESPONSE) return "";
  const length = mark % LENGTH_LIMIT;
  const processed = { prompt, text: text.slice(0, length) };
  return (markOf(processed) === mark ? text.slice(length) : text).trim();
}
