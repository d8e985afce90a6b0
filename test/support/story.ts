// Normalises the events of a run for comparison: removes ids, times, durations and folders.
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

/** Also omits interrupts, resumes and restores, so that a resumed run must equal an uninterrupted one. */
export function story(events: readonly RunEvent[]): unknown[] {
  return events
    .filter((event) => !ASIDE.includes(event.type))
    .map((event) => {
      const text = JSON.stringify(event, (key, value) => (VOLATILE.has(key) ? undefined : value));
      return JSON.parse(text.replace(/duration: \d+ ms/g, "duration"));
    });
}
