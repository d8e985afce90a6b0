// Shared tests of `adopt`: imported runs for every store that can import them.
import path from "node:path";
import { expect } from "vitest";
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Kept, Store } from "#spec/store";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { event, startedAt } from "#testing/store";
import { temporary } from "./folders.ts";

/** Returns the stored entries of run `a`, as another machine would export them. */
export async function recorded(
  events: readonly RunEvent[] = [startedAt("a", 0), event("a", 2)],
): Promise<readonly Kept[]> {
  const store = sqlite(path.join(temporary(), "converge.db"));
  await store.append("a", 0, events);
  return (await store.record?.("a")) ?? [];
}

/** Expects the store to reject an invalid record and an existing run, and to store nothing of them. */
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
