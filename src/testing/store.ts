// Conformance suite for stores. Runs with any test runner that has describe, it and expect.
import type { Command } from "#spec/command";
import { ConflictError } from "#spec/errors";
import { EVENT_VERSION, type RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import type { TestApi } from "./api.ts";
import { exampleTask } from "./run.ts";

/** An empty store. */
export interface StoreExample {
  readonly store: Store;
  /** Opens the same store again, as another process would. Omit it for stores that cannot be shared. */
  readonly again?: () => Store | Promise<Store>;
  readonly dispose?: () => void | Promise<void>;
}

const APPENDERS = 20;

const AWKWARD: readonly string[] = [
  "",
  "zwei\r\nZeilen\tund \u0000 \u001b[31m",
  "日本語 🦊 e\u0301 \u202e",
  `'"; DROP TABLE events; -- $1 %s \\ {{x}}`,
  "x".repeat(1_000_000),
];

export function startedAt(run: string, minute: number): RunEvent {
  const time = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const task = exampleTask({ workspace: { type: "in-place", dir: `/projects/${run}` } });
  const body = {
    type: "run.started",
    task,
    taskHash: "0",
    dir: `/projects/${run}`,
    host: "h",
    version: "1",
  } as const;
  return { ...body, v: EVENT_VERSION, run, seq: 1, time, elapsedMs: 0 };
}

export function event(run: string, seq: number, prompt = "go on"): RunEvent {
  const body = { type: "iteration.started", iteration: seq, prompt } as const;
  return { ...body, v: EVENT_VERSION, run, seq, time: "2026-01-01T00:00:00.000Z", elapsedMs: seq };
}

/** Returns "written", "conflict", or the error as text. */
async function outcome(append: Promise<void>): Promise<string> {
  try {
    await append;
    return "written";
  } catch (error) {
    return error instanceof ConflictError ? "conflict" : String(error);
  }
}

/** Overwrites every property, as a careless caller might. */
function overwriteAll(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.values(value)) overwriteAll(part);
  try {
    for (const key of Object.keys(value)) (value as Record<string, unknown>)[key] = "spoilt";
  } catch {
    // A frozen value is fine too.
  }
}

interface Suite {
  readonly test: (title: string, body: (example: StoreExample) => Promise<void>) => unknown;
  readonly expect: TestApi["expect"];
}

const seqs = (events: readonly RunEvent[]) => events.map(({ seq }) => seq);

/** Reading and ordering of events. */
function testEvents({ test, expect }: Suite): void {
  test("returns the events of a run in order", async ({ store }) => {
    await store.append("a", 0, [startedAt("a", 0), event("a", 2)]);
    await store.append("b", 0, [startedAt("b", 0)]);
    await store.append("a", 2, [event("a", 3)]);
    expect(await store.read("a")).toEqual([startedAt("a", 0), event("a", 2), event("a", 3)]);
    expect(await store.read("b")).toEqual([startedAt("b", 0)]);
  });

  test("returns only events after the given number", async ({ store }) => {
    await store.append("a", 0, [startedAt("a", 0), event("a", 2), event("a", 3)]);
    expect(seqs(await store.read("a", 1))).toEqual([2, 3]);
    expect(seqs(await store.read("a", 3))).toEqual([]);
    expect(seqs(await store.read("a", 99))).toEqual([]);
  });

  test("returns nothing for an unknown run", async ({ store }) => {
    expect(await store.read("nobody")).toEqual([]);
    expect(await store.inbox("nobody", 0)).toEqual([]);
    expect(await store.runs()).toEqual([]);
  });

  test("lists runs newest first, with the number of their last event", async ({ store }) => {
    for (const [minute, run] of ["first", "second", "third"].entries())
      await store.append(run, 0, [startedAt(run, minute)]);
    await store.append("first", 1, [event("first", 2)]);
    expect(await store.runs()).toEqual(
      [2, 1, 0].map((minute) => {
        const run = ["first", "second", "third"][minute] ?? "";
        const seq = run === "first" ? 2 : 1;
        return { id: run, workspace: `/projects/${run}`, startedAt: startedAt(run, minute).time, seq };
      }),
    );
  });
}

/** Compare-and-append: a writer that is behind gets a conflict. */
function testConflicts({ test, expect }: Suite): void {
  test("rejects a writer that does not know the last event, and writes nothing", async ({ store }) => {
    await store.append("a", 0, [startedAt("a", 0), event("a", 2)]);
    for (const expected of [0, 1, 3]) {
      const late = [event("a", expected + 1, "late"), event("a", expected + 2, "late")];
      expect(await outcome(store.append("a", expected, late))).toEqual("conflict");
    }
    expect(await outcome(store.append("b", 1, [event("b", 2)]))).toEqual("conflict");
    expect(await outcome(store.append("a", 1, [startedAt("a", 9)]))).toEqual("conflict");
    expect(await store.read("a")).toEqual([startedAt("a", 0), event("a", 2)]);
    expect(await store.read("b")).toEqual([]);
    expect((await store.runs()).map((row) => row.startedAt)).toEqual([startedAt("a", 0).time]);
    expect(await outcome(store.append("a", 2, [event("a", 3)]))).toEqual("written");
  });

  test(`lets exactly one of ${APPENDERS} writers win`, async ({ store, again }) => {
    const other = again ? await again() : store;
    const writers = Array.from({ length: APPENDERS }, (_, index) => event("a", 1, `writer ${index}`));
    const ends = await Promise.all(
      writers.map((one, index) => outcome((index % 2 ? other : store).append("a", 0, [one]))),
    );
    if (other !== store) await other.close();
    expect(ends.filter((end) => end === "written").length).toEqual(1);
    expect(ends.filter((end) => end === "conflict").length).toEqual(APPENDERS - 1);
    expect(await store.read("a")).toEqual([writers[ends.indexOf("written")]]);
  });

  test("shares writes with other openers of the same store", async ({ store, again }) => {
    const other = again ? await again() : store;
    try {
      await store.append("a", 0, [startedAt("a", 0)]);
      expect(await outcome(other.append("a", 0, [startedAt("a", 1)]))).toEqual("conflict");
      expect(await outcome(other.append("a", 1, [event("a", 2)]))).toEqual("written");
      expect(await outcome(store.append("a", 1, [event("a", 2, "zombie")]))).toEqual("conflict");
      expect(await store.read("a")).toEqual([startedAt("a", 0), event("a", 2)]);
      const sent = await other.send("a", { type: "pause" });
      expect(await store.inbox("a", 0)).toEqual([sent]);
      const next = await store.send("a", { type: "pause" });
      expect(next.id > sent.id).toEqual(true);
      expect((await other.runs()).length).toEqual(1);
    } finally {
      if (other !== store) await other.close();
    }
  });
}

/** Lessons of runs and their inboxes. */
function testLessonsAndCommands({ test, expect }: Suite): void {
  test("stores one lesson per run, oldest first, and deletes them on request", async ({ store }) => {
    const lesson = (run: string, minute: number, workspace = "/one") => ({
      run,
      v: 1,
      workspace,
      agent: "a",
      at: startedAt(run, minute).time,
      transitions: [{ features: [1, 0.1 + 0.2, -1e-9], passed: minute % 2 === 0 }],
    });
    await store.learn(lesson("b", 2));
    await store.learn(lesson("a", 5));
    await store.learn(lesson("a", 1));
    await store.learn(lesson("c", 3, "/two"));
    expect(await store.lessons()).toEqual([lesson("a", 1), lesson("b", 2), lesson("c", 3, "/two")]);
    expect([await store.forget("/one"), await store.lessons()]).toEqual([2, [lesson("c", 3, "/two")]]);
    expect([await store.forget(), await store.lessons()]).toEqual([1, []]);
  });

  test("stores commands in order, separately for each run", async ({ store }) => {
    const steer = (text: string): Command => ({ type: "steer", text });
    const first = await store.send("a", steer("one"));
    await store.send("b", { type: "pause" });
    const second = await store.send("a", steer("two"));
    expect(first.id < second.id).toEqual(true);
    expect(await store.inbox("a", 0)).toEqual([first, second]);
    expect((await store.inbox("a", 0)).map(({ command }) => command)).toEqual([steer("one"), steer("two")]);
    expect(await store.inbox("a", first.id)).toEqual([second]);
    expect(await store.inbox("a", second.id)).toEqual([]);
    expect((await store.inbox("b", 0)).map(({ command }) => command)).toEqual([{ type: "pause" }]);
  });
}

/** Values come back as they were stored. */
function testValues({ test, expect }: Suite): void {
  test("returns any value unchanged", async ({ store }) => {
    const events = AWKWARD.map((text, index) => event("a", index + 1, text));
    await store.append("a", 0, events);
    expect(await store.read("a")).toEqual(events);
    const nested = {
      ...event("a", events.length + 1),
      extra: { deep: [{ deeper: [null, -0.5, 1e21, true, AWKWARD] }] },
    };
    await store.append("a", events.length, [nested]);
    expect(await store.read("a", events.length)).toEqual([nested]);
    for (const text of AWKWARD) await store.send("a", { type: "steer", text });
    expect((await store.inbox("a", 0)).map(({ command }) => command)).toEqual(
      AWKWARD.map((text) => ({ type: "steer", text })),
    );
  });

  test("is unaffected when callers mutate values", async ({ store }) => {
    const input = startedAt("a", 0);
    const command: Command = { type: "steer", text: "gently" };
    await store.append("a", 0, [input]);
    const sent = await store.send("a", command);
    const id = sent.id;
    const got = [await store.read("a"), await store.runs(), await store.inbox("a", 0)];
    for (const value of [input, command, sent, ...got]) overwriteAll(value);
    expect(await store.read("a")).toEqual([startedAt("a", 0)]);
    expect((await store.runs()).map((row) => row.id)).toEqual(["a"]);
    expect(await store.inbox("a", 0)).toEqual([{ id, command: { type: "steer", text: "gently" } }]);
  });
}

export function storeConformance(
  name: string,
  make: () => StoreExample | Promise<StoreExample>,
  { describe, it, expect }: TestApi,
): void {
  const test: Suite["test"] = (title, body) =>
    it(title, async () => {
      const example = await make();
      try {
        await body(example);
      } finally {
        await example.store.close();
        await example.dispose?.();
      }
    });
  const suite: Suite = { test, expect };

  describe(`${name} conforms to the store contract`, () => {
    testEvents(suite);
    testConflicts(suite);
    testLessonsAndCommands(suite);
    testValues(suite);
  });
}
