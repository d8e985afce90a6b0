// Runs from elsewhere, as every store that takes them over is tried with them.
import path from "node:path";
import { expect } from "vitest";
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Kept, Store } from "#spec/store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { event, startedAt } from "#testing/store";
import { temporary } from "./folders.ts";

/** As it is kept in a file on another machine. */
export async function recorded(
  events: readonly RunEvent[] = [startedAt("a", 0), event("a", 2)],
): Promise<readonly Kept[]> {
  const store = sqlite(path.join(temporary(), "converge.db"));
  await store.append("a", 0, events);
  return (await store.record?.("a")) ?? [];
}

/** Nothing is kept of a record that does not hold together, nor of a run that is here. */
export async function refusesWhatDoesNotHold(store: Store): Promise<void> {
  const record = await recorded();
  const changed = record.map((kept) => ({ ...kept, body: kept.body.replace("go on", "stop") }));
  await expect(store.adopt?.("a", changed)).rejects.toThrow(TamperedError);
  await expect(store.adopt?.("b", record)).rejects.toThrow(TamperedError);
  await expect(store.adopt?.("a", record.slice(1))).rejects.toThrow(TamperedError);
  expect([await store.read("a"), await store.runs()]).toEqual([[], []]);
  await store.adopt?.("a", record);
  await expect(store.adopt?.("a", record)).rejects.toThrow(ConflictError);
}
