// A route of the API as data. Serving, the OpenAPI document and the tests all use the table of routes.
import type { ServerResponse } from "node:http";
import type * as z from "zod";
import type { Context } from "#state/context";
import type { RunCache } from "#views/run-cache";
import type { Summaries } from "#views/summaries";
import type { Hub } from "./hub.ts";
import type { Keys } from "./keys.ts";
import type { Pace } from "./sse.ts";

/** What every handler of a route works with. */
export interface ServerContext {
  readonly app: Context;
  readonly runCache: RunCache;
  readonly summaries: Summaries;
  readonly hub: Hub;
  readonly pace: Pace;
  readonly keys: Keys;
  /** The command that starts runs. */
  readonly cli: string;
  /** The OpenAPI document of all routes. */
  description(): unknown;
  /** Creates a link with a single-use key. */
  link(): string;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

type Shape = z.ZodType;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly desk: ServerContext;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: Request;
  readonly outgoing: ServerResponse;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below /api/v1; parameters as `{name}`. */
  readonly path: string;
  readonly summary: string;
  /** Needs no token. */
  readonly open?: true;
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  /** Response descriptions by status. */
  readonly answers: Readonly<Record<number, string>>;
  /** Media type, when it is not JSON. */
  readonly type?: string;
  /** Status of a UsageError; 409 by default. */
  readonly refused?: 400 | 404;
  readonly handle: (call: Call<never, never, never>) => Response | Promise<Response>;
}

/** Infers the handler's parameter types from the schemas. */
export function route<
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  spec: Omit<Route, "params" | "query" | "body" | "handle"> & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly handle: (call: Call<Out<P>, Out<Q>, Out<B>>) => Response | Promise<Response>;
  },
): Route {
  return spec as Route;
}
