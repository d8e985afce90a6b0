// Which requests are looked at at all: for a name that is ours, and not sent by somebody else's page.
import { problem } from "./reply.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export interface Place {
  readonly port: number;
  /** Names besides the loopback ones: what it is bound to, and what --allow-host says. */
  readonly names: readonly string[];
}

interface Named {
  readonly name: string;
  readonly port?: number;
}

/** "name:port"; undefined for anything else. */
function hostOf(text: string): Named | undefined {
  const [, name, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return name === undefined
    ? undefined
    : { name: name.toLowerCase(), ...(port !== undefined && { port: Number(port) }) };
}

/** The port of a name that somebody allowed is the proxy's own; a page elsewhere can only make up names. */
function isOurs(host: Named | undefined, { port, names }: Place): boolean {
  if (!host) return false;
  if (names.some((name) => name.toLowerCase() === host.name)) return true;
  return LOOPBACK.includes(host.name) && (host.port ?? 80) === port;
}

/** Our own page comes from where the request goes to; a proxy may speak TLS for us. */
function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Opening the page from a link elsewhere is harmless: it cannot be framed, and it is shown to the user alone. */
function opensPage(request: Request, path: string): boolean {
  const { headers, method } = request;
  return (
    path === "/" &&
    method === "GET" &&
    headers.get("sec-fetch-mode") === "navigate" &&
    headers.get("sec-fetch-dest") === "document"
  );
}

/** Undefined when the request may be looked at. */
export function refusal(request: Request, path: string, place: Place): Response | undefined {
  const host = request.headers.get("host") ?? "";
  if (!isOurs(hostOf(host), place))
    return problem(
      403,
      "host-refused",
      `this server does not answer to that name; use http://127.0.0.1:${place.port}, or start it with --allow-host NAME`,
    );
  const origin = request.headers.get("origin");
  if (origin !== null && !isOwnOrigin(origin, host))
    return problem(403, "origin-refused", "requests from other pages are refused");
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none" && !opensPage(request, path))
    return problem(403, "site-refused", "requests from other sites are refused");
  return undefined;
}
