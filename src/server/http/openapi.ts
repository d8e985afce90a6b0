// Generates the OpenAPI document from the same schemas that validate requests.
import * as z from "zod";
import { VERSION } from "#system/version";
import type { Route } from "./route.ts";

const ERROR = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" }, problems: { type: "array" } },
    },
  },
};

const REFUSALS: Readonly<Record<string, string>> = {
  400: "the request is invalid",
  401: "the token is missing or wrong",
  403: "the host name or the origin is not allowed",
  404: "not found",
  409: "the state of the run does not allow it, or its record is tampered with",
};

type Json = Readonly<Record<string, unknown>>;

function schemaOf(shape: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: "input" });
  return schema;
}

/** One parameter per key of the schema. */
function parameters(shape: z.ZodType | undefined, place: "path" | "query"): Json[] {
  if (!shape) return [];
  const { properties = {}, required = [] } = schemaOf(shape) as {
    properties?: Readonly<Record<string, Json>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema,
  }));
}

const inJson = (schema: Json) => ({ "application/json": { schema } });

function responses({ answers, type, open, params }: Route): Json {
  const good = Object.entries(answers).map(([status, description]) => {
    const content = status === "204" ? {} : { content: type ? { [type]: {} } : inJson({}) };
    return [status, { description, ...content }];
  });
  const bad = Object.entries(REFUSALS)
    .filter(([status]) => (status !== "401" || !open) && (params !== undefined || !/40[49]/.test(status)))
    .filter(([status]) => answers[Number(status)] === undefined)
    .map(([status, description]) => [
      status,
      { description, content: inJson({ $ref: "#/components/schemas/Error" }) },
    ]);
  return Object.fromEntries([...good, ...bad]);
}

function operation(route: Route): Json {
  const { summary, params, query, body, open } = route;
  const all = [...parameters(params, "path"), ...parameters(query, "query")];
  return {
    summary,
    ...(all.length > 0 && { parameters: all }),
    ...(body && { requestBody: { required: true, content: inJson(schemaOf(body)) } }),
    responses: responses(route),
    ...(open && { security: [] }),
  };
}

export function openApi(routes: readonly Route[], root: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  return {
    openapi: "3.1.0",
    info: { title: "Converge", version: VERSION, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: root }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "converge" },
      },
      schemas: { Error: ERROR },
    },
  };
}
