// Formats a database URL for messages: host, user and database, never the password.
import os from "node:os";
import { UsageError } from "#spec/errors";
import { plain } from "#text/plain-text";

const EXPECTED = "expected postgres://USER:PASSWORD@HOST:PORT/DATABASE";

function parseUrl(url: string): URL {
  // Error messages do not quote the URL: it may contain the password.
  if (!URL.canParse(url)) throw new UsageError(`the database URL is not valid; ${EXPECTED}`);
  const { protocol } = new URL(url);
  if (/^postgres(ql)?:$/.test(protocol)) return new URL(url);
  throw new UsageError(`the database URL begins with ${plain(protocol)}; ${EXPECTED}`);
}

/** Parts missing in the URL come from PGHOST, PGUSER and so on, as in every Postgres client. */
export function addressOf(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const { hostname, port, username, pathname, searchParams } = parseUrl(url);
  try {
    const host = searchParams.get("host") || hostname || env.PGHOST || "localhost";
    const user = decodeURIComponent(username) || env.PGUSER || os.userInfo().username;
    const database = decodeURIComponent(pathname.slice(1)) || env.PGDATABASE || user;
    return plain(`${host}:${port || env.PGPORT || 5432} as ${user}, database ${database}`);
  } catch {
    throw new UsageError(`the database URL has a % that is not an escape (write %25); ${EXPECTED}`);
  }
}
