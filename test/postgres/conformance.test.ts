import pg from "pg";
import { describe, expect, it } from "vitest";
import { postgres } from "#stores/postgres/postgres-store";
import { reachableStoreConformance, type StoredRow } from "#testing/reachable-store";
import { storeConformance } from "#testing/store";
import { freshDatabase } from "../support/database.ts";

storeConformance(
  "postgres",
  async () => {
    const url = await freshDatabase();
    return { store: postgres(url), again: () => postgres(url) };
  },
  { describe, it, expect },
);

type Change = (rows: readonly StoredRow[]) => readonly StoredRow[];

/** Replaces the events of a run, as anybody with the password can. */
async function rewrite(url: string, run: string, change: Change): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT * FROM converge.events WHERE run = $1 ORDER BY seq", [run]);
  await client.query("DELETE FROM converge.events WHERE run = $1", [run]);
  for (const { seq, body, hash } of change(rows))
    await client.query("INSERT INTO converge.events (run, seq, body, hash) VALUES ($1, $2, $3, $4)", [
      run,
      seq,
      body,
      hash,
    ]);
  await client.end();
}

reachableStoreConformance(
  "postgres",
  async () => {
    const url = await freshDatabase();
    return { open: () => postgres(url), rewrite: (run, change) => rewrite(url, run, change) };
  },
  { describe, it, expect },
);
