// Writes many runs or very long runs directly into the store, as copies of a small real run.
import fs from "node:fs";
import path from "node:path";
import type { EventBody, RunEvent } from "#spec/event";
import { sqlite } from "#stores/sqlite/sqlite-store";
import type { Sandbox } from "./sandbox.ts";

export interface Copies {
  /** Copies the run `count` times under other ids and titles. */
  again(count: number, name: (at: number) => { readonly id: string; readonly title: string }): Promise<void>;
  /** Writes an active run that repeats the first iteration with rising scores. Returns the number of events. */
  long(id: string, title: string, iterations: number): Promise<number>;
}

const MINUTE = 60_000;
const AT_ONCE = 10_000;

type Change = (body: EventBody) => EventBody;

function copy(event: RunEvent, run: string, seq: number, time: number, change: Change): RunEvent {
  const { v } = event;
  const told = { v, run, seq, time: new Date(time).toISOString(), elapsedMs: seq * 10 };
  return { ...event, ...change(event), ...told } as RunEvent;
}

const titled =
  (title: string): Change =>
  (body) =>
    body.type === "run.started" ? { ...body, task: { ...body.task, prompt: title } } : body;

function scored(iteration: number, score: number): Change {
  return (body) => {
    const moved = "iteration" in body ? { ...body, iteration } : body;
    if (moved.type !== "gate.judged") return moved;
    const verdict = { ...moved.verdict, score, summary: `${iteration} more to go` };
    return { ...moved, verdict };
  };
}

/** Opens the sandbox's store and runs `work`. `events` are those of a real run from the same sandbox. */
export async function copying<T>(
  box: Sandbox,
  events: readonly RunEvent[],
  work: (copies: Copies) => Promise<T>,
): Promise<T> {
  fs.mkdirSync(box.home, { recursive: true });
  const store = sqlite(path.join(box.home, "converge.db"));
  const first = Date.parse(events[0]?.time ?? "");
  const again: Copies["again"] = async (count, name) => {
    for (let at = 0; at < count; at++) {
      const { id, title } = name(at);
      const start = first - at * MINUTE;
      const copied = events.map((event, place) =>
        copy(event, id, place + 1, start + place * 1000, titled(title)),
      );
      await store.append(id, 0, copied);
    }
  };
  const long: Copies["long"] = async (id, title, iterations) => {
    const one = events.filter((event) => "iteration" in event && event.iteration === 1);
    const begin = events.slice(0, events.indexOf(one[0] as RunEvent));
    const all = begin.map((event, place) => copy(event, id, place + 1, first, titled(title)));
    for (let iteration = 1; iteration <= iterations; iteration++)
      for (const event of one) {
        const change = scored(iteration, iteration / (iterations + 1));
        all.push(copy(event, id, all.length + 1, first + all.length * 1000, change));
      }
    for (let at = 0; at < all.length; at += AT_ONCE) await store.append(id, at, all.slice(at, at + AT_ONCE));
    return all.length;
  };
  try {
    return await work({ again, long });
  } finally {
    await store.close();
  }
}
