// A request to one path of the API: who asks, is it well formed, and then its handler.
import type { ServerResponse } from "node:http";
import type * as z from "zod";
import { check } from "#config/issues";
import { ConfigError, ConflictError, ExtensionError, TamperedError, UsageError } from "#spec/errors";
import { InUseError } from "#state/acquire-run";
import { mask } from "#system/mask-text";
import { NotFound } from "./find-run.ts";
import { problem } from "./reply.ts";
import type { Call, Desk, Route } from "./route.ts";

export interface Asked {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly outgoing: ServerResponse;
}

const LARGEST_BODY = 1_048_576;

const UNAUTHORIZED =
  "expected the token as `Authorization: Bearer TOKEN`, or the cookie; open the link that `converge serve` prints";

/** Thrown for requests that are not even looked into. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

async function bodyOf(request: Request): Promise<unknown> {
  const [type] = (request.headers.get("content-type") ?? "").split(";", 1);
  if (type?.trim().toLowerCase() !== "application/json")
    throw new Refused(415, "json-expected", "expected the content type application/json");
  const tooLarge = () =>
    new Refused(413, "too-large", `the body may have ${LARGEST_BODY} bytes, and this one has more`);
  if (Number(request.headers.get("content-length") ?? 0) > LARGEST_BODY) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new Refused(400, "invalid-json", "expected the body to be JSON, in UTF-8");
  }
}

function checked(schema: z.ZodType | undefined, value: unknown, what: string, status: number): unknown {
  if (!schema) return undefined;
  const found = check(schema, value);
  if (found.ok) return found.data;
  const messages = found.findings.map(({ message }) => message).join("; ");
  throw new Refused(status, status === 404 ? "not-found" : "invalid-request", `${what}: ${messages}`);
}

async function callOf(desk: Desk, route: Route, { request, params, outgoing }: Asked): Promise<Call> {
  const body = route.method === "POST" ? await bodyOf(request) : undefined;
  const query = Object.fromEntries(new URL(request.url).searchParams);
  return {
    desk,
    request,
    outgoing,
    params: checked(route.params, params, "path", 404),
    query: checked(route.query, query, "query", 400),
    body: checked(route.body, body, "body", 400),
  };
}

/** What went wrong as an answer; undefined for what nobody expected. */
function failure(error: unknown, refused: number): Response | undefined {
  if (error instanceof Refused) return problem(error.status, error.code, error.message);
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

/** `routes` are all of one path. */
export async function serveRoute(
  desk: Desk,
  routes: readonly Route[],
  asked: Asked,
  warn: (text: string) => void,
): Promise<Response> {
  const { request } = asked;
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
    return await route.handle((await callOf(desk, route, asked)) as Call<never, never, never>);
  } catch (error) {
    const answer = failure(error, route.refused ?? 409);
    if (answer) return answer;
    warn(`${route.method} ${route.path}: ${mask((error as Error).stack ?? String(error))}`);
    return problem(500, "internal", "something went wrong; the terminal of `converge serve` says what");
  }
}

export function unknownPath(desk: Desk, request: Request): Response {
  return desk.keys.admits(request.headers)
    ? problem(404, "not-found", "there is no such path; GET /api/v1/openapi.json lists them")
    : problem(401, "token-expected", UNAUTHORIZED);
}
