// Formats errors of any shape as one line.
import { oneLine } from "#text/plain-text";

const ERROR_CHARS = 300;

const text = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? oneLine(value, ERROR_CHARS) : undefined;

/** Reads name and message from a host's error event. */
export function errorIn(data: unknown): { readonly name: string; readonly message: string } {
  type Given = { error?: { name?: unknown; message?: unknown; data?: { message?: unknown } | null } | null };
  const error = (data as Given | undefined)?.error;
  const name = text(error?.name) ?? "";
  return {
    name,
    message: text(error?.data?.message) ?? text(error?.message) ?? (name || "an unnamed error"),
  };
}

export const messageOf = (error: unknown) =>
  oneLine(error instanceof Error ? error.message : String(error), ERROR_CHARS);
