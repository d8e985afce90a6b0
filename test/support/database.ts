// Creates an empty database for one test.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject, onTestFinished } from "vitest";

/** Runs the statements in order and returns the rows of the last one. */
export async function execute(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Returns a changed copy of the URL, for example with another database, port or user. */
export function elsewhere(url: string, change: (url: URL) => void): string {
  const changed = new URL(url);
  change(changed);
  return changed.href;
}

/** Creates a database that is dropped when the test finishes. */
export async function freshDatabase(server: string = inject("databaseUrl")): Promise<string> {
  const name = `converge_${randomUUID().replaceAll("-", "")}`;
  await execute(server, `CREATE DATABASE ${name}`);
  onTestFinished(() => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).then(() => {}));
  return elsewhere(server, (url) => {
    url.pathname = `/${name}`;
  });
}
