// The HTTP server: listens, passes requests to the handler, and closes all streams at the end.
import type http from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import type { Context } from "#state/context";
import { createRunCache } from "#views/run-cache";
import { summaries } from "#views/summaries";
import { handler } from "./handler.ts";
import { hub } from "./http/hub.ts";
import { keys } from "./http/keys.ts";
import { openApi } from "./http/openapi.ts";
import type { ServerContext } from "./http/route.ts";
import type { Pace } from "./http/sse.ts";
import { ROOT, ROUTES } from "./routes/table.ts";

export interface ServerOptions {
  readonly app: Context;
  readonly token: string;
  readonly port: number;
  readonly host: string;
  /** Other host names of the server. */
  readonly names?: readonly string[];
  /** The command that starts runs. */
  readonly cli: string;
  readonly warn: (text: string) => void;
  readonly pageDir?: string;
  readonly pace?: Partial<Pace>;
  readonly pollMs?: number;
  readonly mostClients?: number;
  readonly times?: Partial<typeof TIMEOUTS>;
}

export interface Server {
  readonly port: number;
  readonly url: string;
  /** Creates a link with a single-use key. */
  link(): string;
  /** Ends all streams and gives pending requests a short time. The store stays open. */
  close(): Promise<void>;
}

const PACE: Pace = { stallMs: 20_000, heartbeatMs: 15_000 };
const POLL_MS = 250;
const MAX_CLIENTS = 200;
const MAX_CONNECTIONS = 1_000;
/** How long pending requests may take after close. */
const CLOSE_GRACE_MS = 2_000;

/** Timeouts against slow or incomplete requests. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};

/** The host for URLs: an IPv6 address needs brackets. */
const hostForUrl = (host: string) => (host.includes(":") ? `[${host}]` : host);

export const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|::1|localhost)$/i.test(host);

const WILDCARDS = ["0.0.0.0", "::"];

function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeGracefully(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
  });
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { app, token, host, names = [], cli, warn, pageDir } = options;
  const runCache = createRunCache(app.store);
  const rows = summaries(app, runCache);
  const sessionKeys = keys(token);
  const shutdown = new AbortController();
  const name = hostForUrl(WILDCARDS.includes(host) ? "127.0.0.1" : host);
  let { port } = options;
  const url = () => `http://${name}:${port}`;
  const desk: ServerContext = {
    ...{ app, runCache, summaries: rows, keys: sessionKeys, cli, signal: shutdown.signal },
    hub: hub(app, rows, {
      most: options.mostClients ?? MAX_CLIENTS,
      pollMs: options.pollMs ?? POLL_MS,
      warn,
    }),
    description: () => openApi(ROUTES, ROOT),
    pace: { ...PACE, ...options.pace },
    link: () => `${url()}/#key=${sessionKeys.issue()}`,
  };
  // A wildcard is not a name, and loopback names are only valid with the port.
  const bound = isLoopback(host) || WILDCARDS.includes(host) ? [] : [hostForUrl(host)];
  const address = () => ({ port, names: [...names, ...bound] });
  const handle = handler({ desk, address, warn, ...(pageDir !== undefined && { pageDir }) });
  const server = createAdaptorServer({
    fetch: (request, env) => handle(request, env as HttpBindings),
    serverOptions: { ...TIMEOUTS, ...options.times },
    overrideGlobalObjects: false,
  }) as http.Server;
  server.maxConnections = MAX_CONNECTIONS;
  port = await listen(server, port, host);
  return {
    port,
    url: url(),
    link: desk.link,
    close: async () => {
      shutdown.abort();
      desk.hub.close();
      await closeGracefully(server);
    },
  };
}
