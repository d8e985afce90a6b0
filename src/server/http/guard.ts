// Guards against DNS rebinding and cross-site requests: checks Host, Origin and Sec-Fetch-Site before anything else.
import { problem } from "./reply.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export interface ListenAddress {
  readonly port: number;
  /** Host names besides loopback: the bound address and those of --allow-host. */
  readonly names: readonly string[];
}

interface Host {
  readonly name: string;
  readonly port?: number;
}

/** Parses "name:port"; undefined for anything else. */
function parseHost(text: string): Host | undefined {
  const [, name, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return name === undefined
    ? undefined
    : { name: name.toLowerCase(), ...(port !== undefined && { port: Number(port) }) };
}

/** An allowed name matches with any port, because that is the proxy's; a loopback name only with our own. */
function isAllowedHost(host: Host | undefined, { port, names }: ListenAddress): boolean {
  if (!host) return false;
  if (names.some((name) => name.toLowerCase() === host.name)) return true;
  return LOOPBACK.includes(host.name) && (host.port ?? 80) === port;
}

/** Whether the origin is our own page. A proxy may terminate TLS. */
function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Whether this opens the page from an external link, which is harmless: the page cannot be framed. */
function isPageNavigation(request: Request, path: string): boolean {
  const { headers, method } = request;
  return (
    path === "/" &&
    method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document"
  );
}

/** Returns a 403 response, or undefined when the request may proceed. */
export function rejectForeign(request: Request, path: string, address: ListenAddress): Response | undefined {
  const host = request.headers.get("host") ?? "";
  if (!isAllowedHost(parseHost(host), address))
    return problem(
      403,
      "host-refused",
      `this server does not accept that host name. Use http://127.0.0.1:${address.port}, or start it with --allow-host NAME`,
    );
  const origin = request.headers.get("origin");
  if (origin !== null && !isOwnOrigin(origin, host))
    return problem(403, "origin-refused", "cross-origin requests are rejected");
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none" && !isPageNavigation(request, path))
    return problem(403, "site-refused", "cross-site requests are rejected");
  return undefined;
}
