// Validates a JSON Schema written into a task when the task is read, so that mistakes do not surface during the run.
import * as z from "zod";
import type { Path } from "#options/issues";
import { listed, show } from "#options/sentence";
import { patternProblem } from "./safe-pattern.ts";

type Complain = (path: Path, message: string) => void;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Keywords whose value is data, not a schema. */
const DATA_KEYWORDS = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose value names schemas. */
const MAP_KEYWORDS = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** Draft 2020-12. */
export const jsonSchema = z
  .union([z.boolean(), z.record(z.string(), z.unknown())])
  .superRefine((schema, context) =>
    validateSchema(schema, [], (path, message) =>
      context.addIssue({ code: "custom", path: [...path], message }),
    ),
  );

function validateSchema(schema: unknown, path: Path, complain: Complain): void {
  if (Array.isArray(schema))
    schema.forEach((item, index) => {
      validateSchema(item, [...path, index], complain);
    });
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(key)) continue;
    validateKeyword([...path, key], value, complain);
    if (MAP_KEYWORDS.has(key) && typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value))
        validateSchema(inner, [...path, key, name], complain);
    else validateSchema(value, [...path, key], complain);
  }
}

/** The keyword is the last item of the path. */
function validateKeyword(path: Path, value: unknown, complain: Complain): void {
  const key = path.at(-1);
  if (key === "type") validateType(value, path, complain);
  if (key === "pattern") validatePattern(value, path, complain);
  if (key === "patternProperties")
    for (const source of Object.keys((value as object | null) ?? {}))
      validatePattern(source, [...path, source], complain);
  if (key === "$ref" && !(typeof value === "string" && value.startsWith("#")))
    complain(path, `expected a reference inside this schema ("#/$defs/…"), got ${show(value)}`);
}

function validateType(value: unknown, path: Path, complain: Complain): void {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !TYPES.includes(type as string));
  if (wrong !== undefined || types.length === 0)
    complain(path, `expected ${listed(TYPES)}, got ${show(wrong)}`);
}

function validatePattern(source: unknown, path: Path, complain: Complain): void {
  const problem =
    typeof source === "string" ? patternProblem(source) : `expected a text, got ${show(source)}`;
  if (problem !== undefined) complain(path, problem);
}
