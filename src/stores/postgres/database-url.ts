// Where a database is and as whom it is used, as people may see it: the password is not part of it.
import os from "node:os";
import { UsageError } from "#spec/errors";
import { plain } from "#text/plain-text";

const EXPECTED = "expected postgres://USER:PASSWORD@HOST:PORT/DATABASE";

function parsed(url: string): URL {
  // What is wrong with it is not quoted: the password may be.
  if (!URL.canParse(url)) throw new UsageError(`the address of the database is no URL; ${EXPECTED}`);
  const { protocol } = new URL(url);
  if (/^postgres(ql)?:$/.test(protocol)) return new URL(url);
  throw new UsageError(`the address of the database begins with ${plain(protocol)}; ${EXPECTED}`);
}

/** What the URL leaves out comes from the usual variables, as for every program that uses Postgres. */
export function addressOf(url: string, env: NodeJS.ProcessEnv = process.env): string {
  const { hostname, port, username, pathname, searchParams } = parsed(url);
  try {
    const host = searchParams.get("host") || hostname || env.PGHOST || "localhost";
    const user = decodeURIComponent(username) || env.PGUSER || os.userInfo().username;
    const database = decodeURIComponent(pathname.slice(1)) || env.PGDATABASE || user;
    return plain(`${host}:${port || env.PGPORT || 5432} as ${user}, database ${database}`);
  } catch {
    throw new UsageError(`the address of the database has a % that escapes nothing (write %25); ${EXPECTED}`);
  }
}
