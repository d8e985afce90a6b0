// From a request to its answer: the guard first, then the table of routes, then the page.
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { type Place, refusal } from "./http/guard.ts";
import { guarded } from "./http/reply.ts";
import type { Desk, Route } from "./http/route.ts";
import { serveRoute, unknownPath } from "./http/serve-route.ts";
import { page } from "./page.ts";
import { ROOT, ROUTES } from "./routes/table.ts";

export interface HandlerOptions {
  readonly desk: Desk;
  readonly place: () => Place;
  readonly warn: (text: string) => void;
  /** Folder of the page's files, instead of the built ones. */
  readonly pageDir?: string;
}

type Fetch = (request: Request, env: HttpBindings) => Promise<Response>;

/** As Hono writes parameters. */
const pattern = (path: string) => ROOT + path.replace(/\{(\w+)\}/g, ":$1");

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

export function handler({ desk, place, warn, pageDir }: HandlerOptions): Fetch {
  const hono = new Hono<{ Bindings: HttpBindings }>();
  for (const [path, routes] of byPath(ROUTES))
    hono.all(pattern(path), (c) =>
      serveRoute(
        desk,
        routes,
        { request: c.req.raw, params: c.req.param() as Record<string, string>, outgoing: c.env.outgoing },
        warn,
      ),
    );
  hono.all(`${ROOT}/*`, (c) => unknownPath(desk, c.req.raw));
  hono.all("*", (c) => page(c.req.raw, c.req.path, pageDir));
  return async (request, env) => {
    const { pathname } = new URL(request.url);
    return guarded(refusal(request, pathname, place()) ?? (await hono.fetch(request, env)));
  };
}
