// Parses the values of options.
import { UsageError } from "#spec/errors";

/** Returns other text unchanged, so that the schema of the task rejects it with a message. */
export function numberOrText(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns undefined for an absent option. The error message ends with `hint`. */
export function positiveInt(
  flag: string,
  text: string | undefined,
  { max, hint }: { readonly max?: number; readonly hint?: string } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1 && value <= (max ?? value)) return value;
  const expected = max === undefined ? "a whole number of at least 1" : `a whole number from 1 to ${max}`;
  throw new UsageError(`${flag}: expected ${expected}, got "${text}"${hint ? `; ${hint}` : ""}`);
}

/** Parses the value of --iteration. */
export function iterationNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0) return value;
  throw new UsageError(`--iteration: expected the number of an iteration (0 is the baseline), got "${text}"`);
}
