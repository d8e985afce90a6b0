// Gemini CLI tells all that was said since the user's last prompt, every time. A mark remembers how much of it was heard,
// and of which response: another prompt begins another one, which may well be longer.
import { createHash } from "node:crypto";

const LENGTHS = 2 ** 28;
const NOTHING_SAID = "[no response text]";

export interface Response {
  /** The user's, which began it. */
  readonly prompt: string;
  readonly text: string;
}

/** The start of a hash: with the length it fits into one whole number. */
function fingerprint({ prompt, text }: Response): number {
  return createHash("sha256")
    .update(JSON.stringify([prompt, text]))
    .digest()
    .readUIntBE(0, 3);
}

export function markOf(response: Response): number {
  return fingerprint(response) * LENGTHS + response.text.length;
}

/** What was said since the mark was taken; empty when nothing was. */
export function saidSince(mark: number, { prompt, text }: Response): string {
  if (text.trim() === NOTHING_SAID) return "";
  const length = mark % LENGTHS;
  const heard = { prompt, text: text.slice(0, length) };
  return (markOf(heard) === mark ? text.slice(length) : text).trim();
}
