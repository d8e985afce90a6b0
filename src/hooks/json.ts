// Parses untrusted JSON of other programs.

export { isObject, type Json } from "#text/json";

/** Parses JSON after an optional byte order mark. Throws like JSON.parse. */
export const parseJson = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/, ""));
