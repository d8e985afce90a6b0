// The server: listens, hands requests to the handler, and closes what is open when it ends.
import type http from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import type { App } from "#state/context";
import { keptRuns } from "#views/run-cache";
import { summaries } from "#views/summaries";
import { handler } from "./handler.ts";
import { hub } from "./http/hub.ts";
import { keys } from "./http/keys.ts";
import { openApi } from "./http/openapi.ts";
import type { Desk } from "./http/route.ts";
import type { Pace } from "./http/sse.ts";
import { ROOT, ROUTES } from "./routes/table.ts";

export interface ServerOptions {
  readonly app: App;
  readonly token: string;
  readonly port: number;
  readonly host: string;
  /** Other names that people reach it by. */
  readonly names?: readonly string[];
  /** The command line that runs are started with. */
  readonly cli: string;
  readonly warn: (text: string) => void;
  readonly pageDir?: string;
  readonly pace?: Partial<Pace>;
  readonly pollMs?: number;
  readonly mostClients?: number;
  readonly times?: Partial<typeof TIMES>;
}

export interface Server {
  readonly port: number;
  readonly url: string;
  /** A link with a new key, good once. */
  link(): string;
  /** Ends all streams; requests under way have a moment. The store stays open. */
  close(): Promise<void>;
}

const PACE: Pace = { stallMs: 20_000, heartbeatMs: 15_000 };
const POLL_MS = 250;
const MOST_CLIENTS = 200;
const MOST_CONNECTIONS = 1_000;
/** Of requests under way when it is closed. */
const PATIENCE_MS = 2_000;

/** A request that does not come in time is not waited for. */
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};

/** A name for URLs: an address of IPv6 stands in brackets there. */
const urlName = (host: string) => (host.includes(":") ? `[${host}]` : host);

export const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|::1|localhost)$/i.test(host);

const WILDCARDS = ["0.0.0.0", "::"];

function listening(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closing(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), PATIENCE_MS).unref();
  });
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { app, token, host, names = [], cli, warn, pageDir } = options;
  const kept = keptRuns(app.store);
  const rows = summaries(app, kept);
  const entrance = keys(token);
  const ended = new AbortController();
  const name = urlName(WILDCARDS.includes(host) ? "127.0.0.1" : host);
  let { port } = options;
  const url = () => `http://${name}:${port}`;
  const desk: Desk = {
    ...{ app, kept, summaries: rows, keys: entrance, cli, signal: ended.signal },
    hub: hub(app, rows, {
      most: options.mostClients ?? MOST_CLIENTS,
      pollMs: options.pollMs ?? POLL_MS,
      warn,
    }),
    description: () => openApi(ROUTES, ROOT),
    pace: { ...PACE, ...options.pace },
    link: () => `${url()}/#key=${entrance.issue()}`,
  };
  // A wildcard is no name, and loopback ones count with the port only.
  const own = isLoopback(host) || WILDCARDS.includes(host) ? [] : [urlName(host)];
  const place = () => ({ port, names: [...names, ...own] });
  const handle = handler({ desk, place, warn, ...(pageDir !== undefined && { pageDir }) });
  const server = createAdaptorServer({
    fetch: (request, env) => handle(request, env as HttpBindings),
    serverOptions: { ...TIMES, ...options.times },
    overrideGlobalObjects: false,
  }) as http.Server;
  server.maxConnections = MOST_CONNECTIONS;
  port = await listening(server, port, host);
  return {
    port,
    url: url(),
    link: desk.link,
    close: async () => {
      ended.abort();
      desk.hub.close();
      await closing(server);
    },
  };
}
