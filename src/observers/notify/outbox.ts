// Tracks undelivered notices with one small file per run: the sequence number up to which everything is settled, then a
// line per message settled since. Pending is what the events imply less what is settled. The file is created before the
// first event is recorded, so a crash loses no notice.
import fs from "node:fs";
import path from "node:path";
import { fold } from "#loop/fold";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Home } from "#state/home";
import { openLog, privateDir, readTail, writePrivate } from "#system/files";
import type { Delivery } from "./message.ts";
import { noticeOf } from "./notice.ts";

/** Older notices are dropped: they are no longer news. */
export const STALE_MS = 7 * 24 * 3_600_000;
const FILE_BYTES = 1_048_576;

export type Settlement = "delivered" | "refused" | "stale";

/** The messages for an event; `run` is the run after the event. */
export function deliveriesOf(event: RunEvent, run: Run): Delivery[] {
  const notice = noticeOf(event, run);
  if (!notice || notice.event === "test") return [];
  const { event: what } = notice;
  return (run.task.notify ?? []).flatMap((to, index) =>
    to.on.includes(what) ? [{ id: `${run.id}-${event.seq}-${index}`, to, notice }] : [],
  );
}

export interface Outbox {
  /** Runs that may have pending messages. */
  runs(): string[];
  /** Starts tracking the run: earlier events count as settled, unless the run is already in the outbox. */
  begin(run: Pick<Run, "id" | "seq">): void;
  settle(run: string, id: string, how: Settlement): void;
  /** Messages of these events that are not settled. */
  pending(run: string, events: readonly RunEvent[]): Delivery[];
  /** Removes a run that has nothing pending. */
  finish(run: string): void;
  /** Whether the run's file is so old that all its notices are stale. */
  isStale(run: string): boolean;
}

export function openOutbox({ outbox: dir }: Home): Outbox {
  const fileOf = (run: string) => path.join(dir, `${run}.txt`);
  const linesOf = (run: string) => readTail(fileOf(run), FILE_BYTES).split("\n");
  return {
    runs: () =>
      fs.existsSync(dir)
        ? fs.readdirSync(dir).flatMap((name) => (/^[\w-]+\.txt$/.test(name) ? name.slice(0, -4) : []))
        : [],
    begin: ({ id, seq }) => {
      if (fs.existsSync(fileOf(id))) return;
      privateDir(dir);
      writePrivate(fileOf(id), `after ${seq}\n`);
    },
    settle: (run, id, how) => {
      const handle = openLog(fileOf(run));
      fs.writeSync(handle, `${how} ${id}\n`);
      fs.closeSync(handle);
    },
    pending: (run, events) => {
      const [first = "", ...rest] = linesOf(run);
      const after = Number(/^after (\d+)$/.exec(first)?.[1] ?? Number.POSITIVE_INFINITY);
      const settled = new Set(rest.map((line) => line.split(" ")[1]));
      return pairWithRuns(events)
        .filter(([event]) => event.seq > after)
        .flatMap(([event, at]) => deliveriesOf(event, at))
        .filter(({ id }) => !settled.has(id));
    },
    finish: (run) => fs.rmSync(fileOf(run), { force: true }),
    isStale: (run) => {
      const stat = fs.statSync(fileOf(run), { throwIfNoEntry: false });
      return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
    },
  };
}

/** Pairs every event with the run after it. */
function pairWithRuns(events: readonly RunEvent[]): [RunEvent, Run][] {
  let run: Run | undefined;
  return events.map((event) => {
    run = fold(run, event);
    return [event, run];
  });
}
