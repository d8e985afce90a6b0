// Edits the store from outside, as an agent could: over a second connection to the SQLite file.

import { openDatabase } from "#system/sqlite";
import type { StoredRow } from "#testing/reachable-store";

export type Change = (rows: readonly StoredRow[]) => readonly StoredRow[];

/** Runs the statements on the file, as the sqlite3 program would. */
export function execute(file: string, statements: string): void {
  const database = openDatabase(file);
  try {
    database.exec(`PRAGMA busy_timeout=5000; ${statements}`);
  } finally {
    database.close();
  }
}

/** Replaces the stored events of a run. */
export function rewrite(file: string, run: string, change: Change): void {
  const database = openDatabase(file);
  try {
    const rows = database.prepare("SELECT * FROM events WHERE run = ? ORDER BY seq").all(run);
    database.exec("PRAGMA busy_timeout=5000; BEGIN IMMEDIATE");
    database.prepare("DELETE FROM events WHERE run = ?").run(run);
    const insert = database.prepare("INSERT INTO events (run, seq, body, hash) VALUES (?, ?, ?, ?)");
    for (const { seq, body, hash } of change(rows as unknown as StoredRow[]))
      insert.run(run, seq, body, hash as string);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
