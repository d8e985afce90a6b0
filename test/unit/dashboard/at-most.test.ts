import { expect, test, vi } from "vitest";
import { atMostEvery } from "../../../dashboard/src/live/at-most.ts";

test("throttles: runs at once, then once more for all requests within the interval", async () => {
  vi.useFakeTimers();
  try {
    let done = 0;
    const pace = atMostEvery(250, async () => {
      done++;
    });
    for (let call = 0; call < 10; call++) pace.ask();
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toBe(1);
    for (let call = 0; call < 10; call++) pace.ask();
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

test("never runs concurrently, continues after a failure and stops when cancelled", async () => {
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
