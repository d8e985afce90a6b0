// Checks the shape of untrusted JSON.

export type Json = Readonly<Record<string, unknown>>;

/** Whether the value is an object with keys; a list is not. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
