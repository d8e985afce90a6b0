// What is still to be delivered: what the events of a run tell, less what has been settled. The outbox has one small file
// for each run that may have something left. It names the event that the run was at when everything before was settled, and
// a line for each message settled since; it is made before anything is recorded, so no crash comes between.
import fs from "node:fs";
import path from "node:path";
import { fold } from "#loop/fold";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Home } from "#state/home";
import { openLog, privateDir, readTail, writePrivate } from "#system/files";
import type { Delivery } from "./message.ts";
import { noticeOf } from "./notice.ts";

/** After that nobody is told any more: it is not news. */
export const STALE_MS = 7 * 24 * 3_600_000;
const FILE_BYTES = 1_048_576;

export type Settled = "delivered" | "refused" | "stale";

/** The messages that an event is worth; `run` is the run with it. */
export function deliveriesOf(event: RunEvent, run: Run): Delivery[] {
  const notice = noticeOf(event, run);
  if (!notice || notice.event === "test") return [];
  const { event: what } = notice;
  return (run.task.notify ?? []).flatMap((to, index) =>
    to.on.includes(what) ? [{ id: `${run.id}-${event.seq}-${index}`, to, notice }] : [],
  );
}

export interface Outbox {
  /** Runs that may have something left. */
  runs(): string[];
  /** From now on the run's events count; those before are settled, unless the run is in the outbox already. */
  begin(run: Pick<Run, "id" | "seq">): void;
  settle(run: string, id: string, how: Settled): void;
  /** What the events tell that has not been settled. */
  pending(run: string, events: readonly RunEvent[]): Delivery[];
  /** Nothing is left. */
  finish(run: string): void;
  /** Nobody has touched the run's file for so long that nothing in it is news. */
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
      return unfolded(events)
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

/** Every event with the run as it stood then. */
function unfolded(events: readonly RunEvent[]): [RunEvent, Run][] {
  let run: Run | undefined;
  return events.map((event) => {
    run = fold(run, event);
    return [event, run];
  });
}
