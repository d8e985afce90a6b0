// What happened in a run, without what differs between any two runs: ids, times, durations, folders.
import type { RunEvent } from "#spec/event";

const ASIDE: readonly RunEvent["type"][] = ["run.resumed", "iteration.interrupted", "workspace.restored"];
const VOLATILE = new Set([
  "run",
  "seq",
  "time",
  "elapsedMs",
  "durationMs",
  "dir",
  "host",
  "taskHash",
  "head",
  "pins",
]);

/** Being cut off and taken up again is not part of the story; that it leaves no trace in it is the point. */
export function story(events: readonly RunEvent[]): unknown[] {
  return events
    .filter((event) => !ASIDE.includes(event.type))
    .map((event) => {
      const text = JSON.stringify(event, (key, value) => (VOLATILE.has(key) ? undefined : value));
      return JSON.parse(text.replace(/duration: \d+ ms/g, "duration"));
    });
}
