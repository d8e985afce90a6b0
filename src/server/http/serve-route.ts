// Serves a request to one API path: authenticate, validate, call the handler, map errors to responses.
import type { ServerResponse } from "node:http";
import type * as z from "zod";
import { check } from "#options/issues";
import { ConfigError, ConflictError, ExtensionError, TamperedError, UsageError } from "#spec/errors";
import { InUseError } from "#state/acquire-run";
import { mask } from "#system/mask-text";
import { NotFound } from "./find-run.ts";
import { problem } from "./reply.ts";
import type { Call, Route, ServerContext } from "./route.ts";

export interface RouteRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly outgoing: ServerResponse;
}

export interface RouteContext {
  readonly desk: ServerContext;
  readonly warn: (text: string) => void;
}

const MAX_BODY_BYTES = 1_048_576;

const UNAUTHORIZED =
  "expected the token as `Authorization: Bearer TOKEN` or as cookie. Open the link that `converge serve` prints";

/** A request rejected before its handler runs. */
class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function readBody(request: Request): Promise<unknown> {
  const [type] = (request.headers.get("content-type") ?? "").split(";", 1);
  if (type?.trim().toLowerCase() !== "application/json")
    throw new RequestError(415, "json-expected", "expected the content type application/json");
  const tooLarge = () =>
    new RequestError(413, "too-large", `the body is too large: the limit is ${MAX_BODY_BYTES} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new RequestError(400, "invalid-json", "expected a JSON body in UTF-8");
  }
}

function validate(what: "path" | "query" | "body", schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = check(schema, value);
  if (result.ok) return result.data;
  const messages = result.findings.map(({ message }) => message).join("; ");
  const [status, code] =
    what === "path" ? ([404, "not-found"] as const) : ([400, "invalid-request"] as const);
  throw new RequestError(status, code, `${what}: ${messages}`);
}

async function readCall(
  desk: ServerContext,
  route: Route,
  { request, params, outgoing }: RouteRequest,
): Promise<Call> {
  const body = route.method === "POST" ? await readBody(request) : undefined;
  const query = Object.fromEntries(new URL(request.url).searchParams);
  return {
    desk,
    request,
    outgoing,
    params: validate("path", route.params, params),
    query: validate("query", route.query, query),
    body: validate("body", route.body, body),
  };
}

/** Maps an error to a response; undefined for an unexpected error. */
function toResponse(error: unknown, refused: number): Response | undefined {
  if (error instanceof RequestError) return problem(error.status, error.code, error.message);
  if (error instanceof NotFound) return problem(404, "not-found", error.message);
  if (error instanceof TamperedError) return problem(409, "tampered", mask(error.message));
  if (error instanceof ConflictError) return problem(409, "conflict", error.message);
  if (error instanceof InUseError) return problem(409, "in-use", mask(error.message));
  if (error instanceof ConfigError || error instanceof ExtensionError)
    return problem(400, "invalid-task", mask(error.message));
  if (!(error instanceof UsageError)) return undefined;
  const code = refused === 404 ? "not-found" : refused === 400 ? "invalid-request" : "refused";
  return problem(refused, code, mask(error.message));
}

/** Serves one path; `routes` are all methods of that path. */
export async function serveRoute(
  { desk, warn }: RouteContext,
  routes: readonly Route[],
  incoming: RouteRequest,
): Promise<Response> {
  const { request } = incoming;
  const route = routes.find(({ method }) => method === request.method);
  const isOpen = route ? route.open : routes.every(({ open }) => open);
  if (!isOpen && !desk.keys.admits(request.headers)) return problem(401, "token-expected", UNAUTHORIZED);
  if (!route) {
    const allow = routes.map(({ method }) => method).join(", ");
    const response = problem(405, "method-refused", `expected ${allow}, got ${request.method}`);
    response.headers.set("allow", allow);
    return response;
  }
  try {
    return await route.handle((await readCall(desk, route, incoming)) as Call<never, never, never>);
  } catch (error) {
    const answer = toResponse(error, route.refused ?? 409);
    if (answer) return answer;
    warn(`${route.method} ${route.path}: ${mask((error as Error).stack ?? String(error))}`);
    return problem(500, "internal", "internal error; see the terminal of `converge serve`");
  }
}

export function unknownPath(desk: ServerContext, request: Request): Response {
  return desk.keys.admits(request.headers)
    ? problem(404, "not-found", "unknown path; GET /api/v1/openapi.json lists all paths")
    : problem(401, "token-expected", UNAUTHORIZED);
}
