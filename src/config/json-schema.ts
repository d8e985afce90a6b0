// A JSON Schema written into a task: looked through when it is read, so that what can never hold is not found out later.
import * as z from "zod";
import type { Path } from "./located.ts";
import { patternProblem } from "./safe-pattern.ts";
import { listed, show } from "./sentence.ts";

type Complain = (path: Path, message: string) => void;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Keywords whose value is data, not a schema. */
const DATA = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose value names schemas. */
const MAPS = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** Draft 2020-12. */
export const jsonSchema = z
  .union([z.boolean(), z.record(z.string(), z.unknown())])
  .superRefine((schema, context) =>
    lookThrough(schema, [], (path, message) =>
      context.addIssue({ code: "custom", path: [...path], message }),
    ),
  );

function lookThrough(schema: unknown, path: Path, complain: Complain): void {
  if (Array.isArray(schema))
    schema.forEach((item, index) => {
      lookThrough(item, [...path, index], complain);
    });
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (DATA.has(key)) continue;
    lookAt(key, value, [...path, key], complain);
    if (MAPS.has(key) && typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value)) lookThrough(inner, [...path, key, name], complain);
    else lookThrough(value, [...path, key], complain);
  }
}

function lookAt(key: string, value: unknown, path: Path, complain: Complain): void {
  if (key === "type") lookAtType(value, path, complain);
  if (key === "pattern") lookAtPattern(value, path, complain);
  if (key === "patternProperties")
    for (const source of Object.keys((value as object | null) ?? {}))
      lookAtPattern(source, [...path, source], complain);
  if (key === "$ref" && !(typeof value === "string" && value.startsWith("#")))
    complain(path, `expected a reference inside this schema ("#/$defs/…"), got ${show(value)}`);
}

function lookAtType(value: unknown, path: Path, complain: Complain): void {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !TYPES.includes(type as string));
  if (wrong !== undefined || types.length === 0)
    complain(path, `expected ${listed(TYPES)}, got ${show(wrong)}`);
}

function lookAtPattern(source: unknown, path: Path, complain: Complain): void {
  const problem =
    typeof source === "string" ? patternProblem(source) : `expected a text, got ${show(source)}`;
  if (problem !== undefined) complain(path, problem);
}
