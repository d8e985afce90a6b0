import { describe, expect, it } from "vitest";
import { fold, foldAll } from "#loop/fold";
import type { Run } from "#spec/run";
import { eventsOf } from "../../support/served.ts";

const EVENTS = eventsOf("arun", 6);

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

describe("foldAll", () => {
  it("equals folding one event at a time, from any start", () => {
    const steps: Run[] = [];
    for (const event of EVENTS) steps.push(frozen(fold(steps.at(-1), event)));
    expect(foldAll(EVENTS)).toEqual(steps.at(-1));
    for (const [at, before] of steps.entries()) {
      const copy = structuredClone(before);
      expect(foldAll(EVENTS.slice(at + 1), before)).toEqual(steps.at(-1));
      expect(before).toEqual(copy);
    }
  });

  it("returns a run that later folds do not modify", () => {
    const half = foldAll(EVENTS.slice(0, 13));
    const copy = structuredClone(half);
    foldAll(EVENTS.slice(13), half);
    for (const event of EVENTS.slice(13)) fold(half, event);
    expect(half).toEqual(copy);
    expect([foldAll([]), foldAll([], half)]).toEqual([undefined, half]);
  });
});
