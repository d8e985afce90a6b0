// Parses a positive integer from the command line.
import { UsageError } from "#spec/errors";

/** Returns undefined for an absent option. The error message ends with `hint`. */
export function whole(
  flag: string,
  text: string | undefined,
  { most, hint }: { readonly most?: number; readonly hint?: string } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1 && value <= (most ?? value)) return value;
  const upTo = most === undefined ? "on" : `to ${most}`;
  throw new UsageError(
    `${flag}: expected a whole number from 1 ${upTo}, got "${text}"${hint ? `; ${hint}` : ""}`,
  );
}
