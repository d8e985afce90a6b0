// JSON that other programs wrote: anything may stand in it.

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Some editors put a mark before the text. Throws like JSON.parse. */
export const parseJson = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/, ""));
