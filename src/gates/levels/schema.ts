// Loads a JSON Schema (draft 2020-12), inline or from the workspace, and validates values against it.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { readInside } from "#system/files-inside";
import { runWithTimeout } from "#system/sync-timeout";
import { parseData } from "./data.ts";

/** Inline, or the path of a file. */
export type SchemaSource = boolean | Readonly<Record<string, unknown>> | string;

const VALIDATE_MS = 5_000;
const SCHEMA_BYTES = 4 * 1024 * 1024;
/** Keywords whose errors only repeat that a nested value is invalid. */
const OUTER = new Set([
  "$ref",
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "allOf",
  "dependentSchemas",
]);

/** A validation error: its JSON pointer and message. */
export interface SchemaError {
  readonly pointer: string;
  readonly message: string;
}

export async function readSchema(dir: string, source: SchemaSource): Promise<Schema | boolean> {
  // Copies the schema, because the validator mutates it.
  if (typeof source !== "string") return structuredClone(source) as Schema | boolean;
  const text = (await readInside(dir, source, SCHEMA_BYTES)).toString("utf8");
  const schema = parseData(source, text);
  if (typeof schema === "boolean" || (typeof schema === "object" && schema !== null)) return schema as Schema;
  throw new Error(`the schema ${source} must be an object or a boolean`);
}

export function schemaErrors(value: unknown, schema: Schema | boolean): readonly SchemaError[] {
  const errors = runWithTimeout(
    VALIDATE_MS,
    () => new Validator(schema as Schema, "2020-12", false).validate(value).errors,
  );
  const inner = errors.filter(({ keyword }) => !OUTER.has(keyword));
  return (inner.length > 0 ? inner : errors).map(toSchemaError);
}

function toSchemaError({ instanceLocation, error }: OutputUnit): SchemaError {
  return { pointer: instanceLocation.replace(/^#/, ""), message: error };
}
