import { expect, test, vi } from "vitest";
import { atMostEvery } from "../../../dashboard/src/live/at-most.ts";

test("asked often, it works at once, then once more for all that was asked meanwhile", async () => {
  vi.useFakeTimers();
  try {
    let done = 0;
    const pace = atMostEvery(250, async () => {
      done++;
    });
    for (let asked = 0; asked < 10; asked++) pace.ask();
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toBe(1);
    for (let asked = 0; asked < 10; asked++) pace.ask();
    await vi.advanceTimersByTimeAsync(200);
    expect(done).toBe(1);
    await vi.advanceTimersByTimeAsync(50);
    expect(done).toBe(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(done).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test("it never works twice at a time, and failing does not end it", async () => {
  vi.useFakeTimers();
  try {
    const ends: (() => void)[] = [];
    const pace = atMostEvery(
      10,
      () =>
        new Promise((_, reject) => {
          ends.push(() => reject(new Error("no")));
        }),
    );
    pace.ask();
    await vi.advanceTimersByTimeAsync(0);
    pace.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(10);
    expect(ends).toHaveLength(2);
    pace.cancel();
    ends[1]?.();
    pace.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
