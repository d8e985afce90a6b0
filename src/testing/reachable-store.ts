// What every store that others can write to must keep to besides: what was changed behind its back is not given out.
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import type { TestApi } from "./api.ts";
import { event, startedAt } from "./store.ts";

/** An event as it is stored, with whatever else the store keeps about it. */
export interface StoredRow {
  readonly seq: number;
  readonly body: string;
  readonly [more: string]: unknown;
}

type Change = (rows: readonly StoredRow[]) => readonly StoredRow[];

/** A place with nothing in it yet. */
export interface ReachableStore {
  /** Opens it once more, as another process would. */
  readonly open: () => Store | Promise<Store>;
  /** Puts other rows in the place of a run's, behind the back of every store. */
  readonly rewrite: (run: string, change: Change) => void | Promise<void>;
}

const at =
  (seq: number, change: (row: StoredRow) => readonly StoredRow[]): Change =>
  (rows) =>
    rows.flatMap((row) => (row.seq === seq ? change(row) : [row]));

const worded = (from: string, to: string) => (row: StoredRow) => [
  { ...row, body: row.body.replace(from, to) },
];

const renumbered = (change: Change): Change => {
  return (rows) => change(rows).map((row, index) => ({ ...row, seq: index + 1 }));
};

/** What somebody may do to the four events of a run. */
const TAMPERINGS: Readonly<Record<string, Change>> = {
  "its first event changed": at(1, worded("/projects/a", "/projects/z")),
  "an event changed": at(3, worded("go on", "go in")),
  "its last event changed": at(4, worded("go on", "go in")),
  "an event replaced by another one's copy": (rows) =>
    at(3, worded(rows[2]?.body ?? "", rows[1]?.body ?? ""))(rows),
  "its first event removed": at(1, () => []),
  "an event removed": at(2, () => []),
  "an event removed and the rest moved up": renumbered(at(2, () => [])),
  "an event inserted": renumbered(at(2, (row) => [row, row])),
  "an event added": at(4, (row) => [row, { ...row, seq: 5 }]),
  "two events swapped": renumbered((rows) => [0, 2, 1, 3].flatMap((index) => rows[index] ?? [])),
  "an event's number changed": at(4, (row) => [{ ...row, seq: 5 }]),
  "all events removed": () => [],
};

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof TamperedError) return `tampered: ${error.run}`;
    return error instanceof ConflictError ? "conflict" : String(error);
  }
}

const seqs = (events: readonly RunEvent[]) => events.map(({ seq }) => seq);

const four = (run: string) => [startedAt(run, 0), event(run, 2), event(run, 3), event(run, 4)];

export function reachableStoreConformance(
  name: string,
  make: () => ReachableStore | Promise<ReachableStore>,
  { describe, it, expect }: TestApi,
): void {
  const test = (title: string, body: (place: ReachableStore) => Promise<void>) =>
    it(title, async () => {
      const place = await make();
      const opened: Store[] = [];
      const open = async () => {
        const store = await place.open();
        opened.push(store);
        return store;
      };
      try {
        await body({ ...place, open });
      } finally {
        for (const store of opened) await store.close();
      }
    });

  describe(`${name} shows when it was changed from outside`, () => {
    for (const [what, change] of Object.entries(TAMPERINGS))
      test(`refuses to read a run with ${what}, and no other`, async ({ open, rewrite }) => {
        const writer = await open();
        for (const run of ["a", "b"]) await writer.append(run, 0, four(run));
        await rewrite("a", change);
        for (const store of [writer, await open()]) {
          expect(await outcome(store.read("a"))).toEqual("tampered: a");
          expect(seqs(await store.read("b"))).toEqual([1, 2, 3, 4]);
          expect((await store.runs()).length).toEqual(2);
        }
      });

    test("refuses to go on when the newest events that it knows of are gone", async ({ open, rewrite }) => {
      const writer = await open();
      await writer.append("a", 0, four("a"));
      const reader = await open();
      await reader.read("a");
      await rewrite("a", (rows) => rows.slice(0, 2));
      expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
      expect(await outcome(writer.append("a", 2, [event("a", 3)]))).toEqual("tampered: a");
      expect(await outcome(reader.read("a", 4))).toEqual("tampered: a");
    });

    test("knows its last event from another one in the same place", async ({ open, rewrite }) => {
      const writer = await open();
      await writer.append("a", 0, four("a"));
      await rewrite("a", (rows) => rows.slice(0, 3));
      // Who comes later cannot know of the fourth, and writes its own.
      const later = await open();
      expect(seqs(await later.read("a"))).toEqual([1, 2, 3]);
      expect(await outcome(later.append("a", 3, [event("a", 4, "another")]))).toEqual("done");
      expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
    });

    test("knows an event that somebody added from one of another writer", async ({ open, rewrite }) => {
      const writer = await open();
      for (const run of ["a", "b"]) await writer.append(run, 0, four(run));
      await rewrite("a", TAMPERINGS["an event added"] ?? ((rows) => rows));
      await (await open()).append("b", 4, [event("b", 5)]);
      expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
      expect(await outcome(writer.append("b", 4, [event("b", 5)]))).toEqual("conflict");
    });

    test("verifies also what comes after the point that it is asked for", async ({ open, rewrite }) => {
      const writer = await open();
      await writer.append("a", 0, four("a"));
      const reader = await open();
      await reader.read("a");
      await writer.append("a", 4, [event("a", 5)]);
      expect(seqs(await reader.read("a", 4))).toEqual([5]);
      await writer.append("a", 5, [event("a", 6)]);
      await rewrite("a", at(6, worded("go on", "go in")));
      expect(await outcome(reader.read("a", 5))).toEqual("tampered: a");
    });
  });
}
