// Request handler: request guard, then the route table, then the page.
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { type ListenAddress, rejectForeign } from "./http/guard.ts";
import { withSecurityHeaders } from "./http/reply.ts";
import type { Route, ServerContext } from "./http/route.ts";
import { serveRoute, unknownPath } from "./http/serve-route.ts";
import { page } from "./page.ts";
import { ROOT, ROUTES } from "./routes/table.ts";

export interface HandlerOptions {
  readonly desk: ServerContext;
  readonly address: () => ListenAddress;
  readonly warn: (text: string) => void;
  /** Folder of the page's files, in place of the built ones. */
  readonly pageDir?: string;
}

type Fetch = (request: Request, env: HttpBindings) => Promise<Response>;

/** Converts `{name}` to Hono's `:name`. */
const toHonoPath = (path: string) => ROOT + path.replace(/\{(\w+)\}/g, ":$1");

function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

export function handler({ desk, address, warn, pageDir }: HandlerOptions): Fetch {
  const hono = new Hono<{ Bindings: HttpBindings }>();
  for (const [path, routes] of groupByPath(ROUTES))
    hono.all(toHonoPath(path), (c) =>
      serveRoute({ desk, warn }, routes, {
        request: c.req.raw,
        params: c.req.param() as Record<string, string>,
        outgoing: c.env.outgoing,
      }),
    );
  hono.all(`${ROOT}/*`, (c) => unknownPath(desk, c.req.raw));
  hono.all("*", (c) => page(c.req.raw, c.req.path, pageDir));
  return async (request, env) => {
    const { pathname } = new URL(request.url);
    return withSecurityHeaders(
      rejectForeign(request, pathname, address()) ?? (await hono.fetch(request, env)),
    );
  };
}
