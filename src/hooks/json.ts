// Parses untrusted JSON of other programs.

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses JSON after an optional byte order mark. Throws like JSON.parse. */
export const parseJson = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/, ""));
