// Conformance suite for stores that other processes can edit: they must detect tampering and never return edited events.
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import type { TestApi } from "./api.ts";
import { event, startedAt } from "./store.ts";

/** A stored event with the other columns of its row. */
export interface StoredRow {
  readonly seq: number;
  readonly body: string;
  readonly [more: string]: unknown;
}

type Change = (rows: readonly StoredRow[]) => readonly StoredRow[];

/** An empty store. */
export interface ReachableStore {
  /** Opens it again, as another process would. */
  readonly open: () => Store | Promise<Store>;
  /** Replaces the rows of a run without going through a store. */
  readonly rewrite: (run: string, change: Change) => void | Promise<void>;
}

const changeAt =
  (seq: number, change: (row: StoredRow) => readonly StoredRow[]): Change =>
  (rows) =>
    rows.flatMap((row) => (row.seq === seq ? change(row) : [row]));

const replaceText = (from: string, to: string) => (row: StoredRow) => [
  { ...row, body: row.body.replace(from, to) },
];

const renumber = (change: Change): Change => {
  return (rows) => change(rows).map((row, index) => ({ ...row, seq: index + 1 }));
};

/** Ways to tamper with the four events of a run. */
const TAMPERINGS: Readonly<Record<string, Change>> = {
  "its first event changed": changeAt(1, replaceText("/projects/a", "/projects/z")),
  "an event changed": changeAt(3, replaceText("go on", "go in")),
  "its last event changed": changeAt(4, replaceText("go on", "go in")),
  "an event replaced by a copy of another": (rows) =>
    changeAt(3, replaceText(rows[2]?.body ?? "", rows[1]?.body ?? ""))(rows),
  "its first event removed": changeAt(1, () => []),
  "an event removed": changeAt(2, () => []),
  "an event removed and the rest moved up": renumber(changeAt(2, () => [])),
  "an event inserted": renumber(changeAt(2, (row) => [row, row])),
  "an event added": changeAt(4, (row) => [row, { ...row, seq: 5 }]),
  "two events swapped": renumber((rows) => [0, 2, 1, 3].flatMap((index) => rows[index] ?? [])),
  "an event's number changed": changeAt(4, (row) => [{ ...row, seq: 5 }]),
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

const fourEvents = (run: string) => [startedAt(run, 0), event(run, 2), event(run, 3), event(run, 4)];

interface Suite {
  readonly test: (title: string, body: (place: ReachableStore) => Promise<void>) => unknown;
  readonly expect: TestApi["expect"];
}

/** Runs with events changed, removed or added. */
function testChangedRuns({ test, expect }: Suite): void {
  for (const [what, change] of Object.entries(TAMPERINGS))
    test(`rejects reading a run with ${what}, and reads others`, async ({ open, rewrite }) => {
      const writer = await open();
      for (const run of ["a", "b"]) await writer.append(run, 0, fourEvents(run));
      await rewrite("a", change);
      for (const store of [writer, await open()]) {
        expect(await outcome(store.read("a"))).toEqual("tampered: a");
        expect(seqs(await store.read("b"))).toEqual([1, 2, 3, 4]);
        expect((await store.runs()).length).toEqual(2);
      }
    });

  test("rejects reads and writes when the newest known events are missing", async ({ open, rewrite }) => {
    const writer = await open();
    await writer.append("a", 0, fourEvents("a"));
    const reader = await open();
    await reader.read("a");
    await rewrite("a", (rows) => rows.slice(0, 2));
    expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
    expect(await outcome(writer.append("a", 2, [event("a", 3)]))).toEqual("tampered: a");
    expect(await outcome(reader.read("a", 4))).toEqual("tampered: a");
  });
}

/** Events written after the tampering, or before it by other writers. */
function testNewEvents({ test, expect }: Suite): void {
  test("detects that its last event was replaced", async ({ open, rewrite }) => {
    const writer = await open();
    await writer.append("a", 0, fourEvents("a"));
    await rewrite("a", (rows) => rows.slice(0, 3));
    // A later writer cannot know about the fourth event, and writes its own.
    const later = await open();
    expect(seqs(await later.read("a"))).toEqual([1, 2, 3]);
    expect(await outcome(later.append("a", 3, [event("a", 4, "another")]))).toEqual("done");
    expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
  });

  test("tells a forged event from one of another writer", async ({ open, rewrite }) => {
    const writer = await open();
    for (const run of ["a", "b"]) await writer.append(run, 0, fourEvents(run));
    await rewrite("a", TAMPERINGS["an event added"] ?? ((rows) => rows));
    await (await open()).append("b", 4, [event("b", 5)]);
    expect(await outcome(writer.append("a", 4, [event("a", 5)]))).toEqual("tampered: a");
    expect(await outcome(writer.append("b", 4, [event("b", 5)]))).toEqual("conflict");
  });

  test("verifies new events even when asked only for later ones", async ({ open, rewrite }) => {
    const writer = await open();
    await writer.append("a", 0, fourEvents("a"));
    const reader = await open();
    await reader.read("a");
    await writer.append("a", 4, [event("a", 5)]);
    expect(seqs(await reader.read("a", 4))).toEqual([5]);
    await writer.append("a", 5, [event("a", 6)]);
    await rewrite("a", changeAt(6, replaceText("go on", "go in")));
    expect(await outcome(reader.read("a", 5))).toEqual("tampered: a");
  });
}

export function reachableStoreConformance(
  name: string,
  make: () => ReachableStore | Promise<ReachableStore>,
  { describe, it, expect }: TestApi,
): void {
  const test: Suite["test"] = (title, body) =>
    it(title, async () => {
      const place = await make();
      const stores: Store[] = [];
      const open = async () => {
        const store = await place.open();
        stores.push(store);
        return store;
      };
      try {
        await body({ ...place, open });
      } finally {
        for (const store of stores) await store.close();
      }
    });
  const suite: Suite = { test, expect };

  describe(`${name} detects tampering`, () => {
    testChangedRuns(suite);
    testNewEvents(suite);
  });
}
