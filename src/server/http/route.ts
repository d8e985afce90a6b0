// One route of the API as data: the table of these is what is served, described and tested.
import type { ServerResponse } from "node:http";
import type * as z from "zod";
import type { App } from "#state/context";
import type { KeptRuns } from "#views/run-cache";
import type { Summaries } from "#views/summaries";
import type { Hub } from "./hub.ts";
import type { Keys } from "./keys.ts";
import type { Pace } from "./sse.ts";

/** What the handlers work with. */
export interface Desk {
  readonly app: App;
  readonly kept: KeptRuns;
  readonly summaries: Summaries;
  readonly hub: Hub;
  readonly pace: Pace;
  readonly keys: Keys;
  /** The command line that runs are started with. */
  readonly cli: string;
  /** The OpenAPI document of all routes. */
  description(): unknown;
  /** Link with a key that is good for one entrance. */
  link(): string;
  /** Cancelled when the server is closed. */
  readonly signal: AbortSignal;
}

type Shape = z.ZodType;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly desk: Desk;
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
  /** Status and what is in the answer. */
  readonly answers: Readonly<Record<number, string>>;
  /** Media type, when it is not JSON. */
  readonly type?: string;
  /** Status when what is asked for cannot be done; 409 unless told. */
  readonly refused?: 400 | 404;
  readonly handle: (call: Call<never, never, never>) => Response | Promise<Response>;
}

/** Keeps what the schemas say and what the handler gets the same. */
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
