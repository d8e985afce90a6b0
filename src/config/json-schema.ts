// The JSON Schema of a task file, for editors and for the reference page.
import * as z from "zod";
import { DEFAULT_TEXT, SEE, TYPE_NAME } from "#options/option";
import { isObject } from "#text/json";
import { taskFile } from "./task-options.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Objects of the SDK: no file can contain them. */
const NEVER = { not: {} };

/** The schema with all keywords of the declarations. */
export function describeTaskFile(): JsonSchema {
  const schema = z.toJSONSchema(taskFile, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, NEVER);
    },
  });
  return mapSchemas(schema, removeImpossible) as JsonSchema;
}

/** The schema that ships with the package. */
export function taskJsonSchema(): JsonSchema {
  return shareProfileOptions(mapSchemas(describeTaskFile(), publish) as JsonSchema);
}

/** Applies `change` to every map in the value, innermost first. */
function mapSchemas(value: unknown, change: (schema: Record<string, unknown>) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapSchemas(item, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapSchemas(part, change)])),
  );
}

function removeImpossible(schema: Record<string, unknown>): unknown {
  if (!Array.isArray(schema.anyOf)) return schema;
  const anyOf = schema.anyOf.filter((branch) => JSON.stringify(branch) !== JSON.stringify(NEVER));
  return { ...schema, anyOf };
}

/** Moves what only the reference page reads into the description. */
function publish(schema: Record<string, unknown>): unknown {
  const { [SEE]: _page, [TYPE_NAME]: _type, [DEFAULT_TEXT]: defaultText, ...rest } = schema;
  return typeof defaultText === "string"
    ? { ...rest, description: `${rest.description} Default: ${defaultText}.` }
    : rest;
}

/** Refers a profile to the options of the task, instead of repeating them. */
function shareProfileOptions(schema: JsonSchema): JsonSchema {
  const profiles = schema.properties?.profiles as JsonSchema;
  const profile = profiles.additionalProperties as JsonSchema;
  const references = Object.keys(profile.properties ?? {}).map((key) => [
    key,
    key in (schema.properties ?? {}) ? { $ref: `#/properties/${key}` } : profile.properties?.[key],
  ]);
  const additionalProperties = { ...profile, properties: Object.fromEntries(references) };
  return { ...schema, properties: { ...schema.properties, profiles: { ...profiles, additionalProperties } } };
}
