// Merges the failures of one test, for runners that count tests but report assertions.
import type { Failure } from "#spec/verdict";
import { failure } from "./shared/failure.ts";

const LONGEST_MESSAGE = 4_000;

/** Keeps the first location and joins all messages. */
export function mergeFailures(failures: readonly Failure[]): readonly Failure[] {
  const merged = new Map<string, Failure>();
  const unnamed: Failure[] = [];
  for (const each of failures) {
    if (each.id === undefined) {
      unnamed.push(each);
      continue;
    }
    const earlier = merged.get(each.id);
    if (earlier === undefined) merged.set(each.id, each);
    else if (earlier.message.length < LONGEST_MESSAGE)
      merged.set(each.id, { ...earlier, message: `${earlier.message}\n\n${each.message}` });
  }
  return [...[...merged.values()].map((each) => failure(each)), ...unnamed];
}
