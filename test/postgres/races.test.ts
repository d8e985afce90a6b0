import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConflictError } from "#spec/errors";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { event } from "#testing/store";
import { execute, freshDatabase } from "../support/database.ts";

const start = promisify(execFile);
const BUILT = fileURLToPath(new URL("../../dist/stores/postgres/postgres-store.js", import.meta.url));
const WRITERS = 8;
const EACH = 15;

const open = (url: string): Store => {
  const store = postgres(url);
  onTestFinished(() => store.close());
  return store;
};

/** Appends `EACH` events at the current end of the run and returns their numbers. */
async function writes(store: Store, name: string): Promise<number[]> {
  const seqs: number[] = [];
  let seq = 0;
  while (seqs.length < EACH) {
    try {
      await store.append("a", seq, [event("a", seq + 1, `${name} ${seqs.length}`)]);
      seqs.push(++seq);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      seq = (await store.read("a", seq)).at(-1)?.seq ?? 0;
    }
  }
  return seqs;
}

describe("concurrent processes and stores", () => {
  it("create the schema once when all processes connect first", async () => {
    const url = await freshDatabase();
    const script = `
      const { postgres } = await import(process.argv[1]);
      const store = postgres(process.argv[2]);
      await store.append(process.argv[3], 0, [{ type: "run.paused", seq: 1 }]);
      await store.close();`;
    await Promise.all(
      Array.from({ length: WRITERS }, (_, index) =>
        start(process.execPath, ["--input-type=module", "-e", script, BUILT, url, `run-${index}`]),
      ),
    );
    const store = open(url);
    for (let index = 0; index < WRITERS; index++) expect(await store.read(`run-${index}`)).toHaveLength(1);
    expect(await execute(url, "SELECT version FROM converge.version")).toEqual([
      { version: expect.any(Number) },
    ]);
  });

  it("create the schema once within one process", async () => {
    const url = await freshDatabase();
    const stores = Array.from({ length: 2 * WRITERS }, () => open(url));
    expect(await Promise.all(stores.map((store) => store.runs()))).toEqual(stores.map(() => []));
  });

  it("append to one run: each number has one winner, and no acknowledged event is lost", async () => {
    const url = await freshDatabase();
    const writers = Array.from({ length: WRITERS }, (_, index) => `writer ${index}`);
    const won = await Promise.all(writers.map((name) => writes(open(url), name)));
    const events = await open(url).read("a");
    expect(won.flat().sort((a, b) => a - b)).toEqual(events.map(({ seq }) => seq));
    expect(events).toHaveLength(WRITERS * EACH);
    const prompts = won.map((seqs) => seqs.map((seq) => events[seq - 1]));
    expect(prompts).toEqual(
      won.map((seqs, writer) => seqs.map((seq, index) => event("a", seq, `${writers[writer]} ${index}`))),
    );
  });

  it("send to one run: a reader that polls by id misses no command", async () => {
    const url = await freshDatabase();
    const reader = open(url);
    const sent = new Set<string>();
    const read: string[] = [];
    let last = 0;
    const sending = Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const store = open(url);
        for (let index = 0; index < EACH; index++) {
          const text = `${writer} ${index}`;
          await store.send("a", { type: "steer", text });
          sent.add(text);
        }
      }),
    );
    let isOver = false;
    void sending.finally(() => {
      isOver = true;
    });
    for (let more = true; more; ) {
      more = !isOver;
      for (const { id, command } of await reader.inbox("a", last)) {
        last = id;
        if (command.type === "steer") read.push(command.text);
      }
    }
    await sending;
    expect(read.sort()).toEqual([...sent].sort());
  });
});
