import { expect, it } from "vitest";
import { stamp } from "#loop/stamp";
import { noticeOf } from "#observers/notify/notice";
import { exampleRun } from "#testing/run";

const pausedWith = (reason?: string) => {
  const run = exampleRun([]);
  const body = { type: "run.paused" as const, ...(reason !== undefined && { reason }) };
  return noticeOf(stamp(run, body, { time: "2026-01-01T00:00:00.000Z", elapsedMs: 0 }), run);
};

it("makes a notice of a pause only when it has a reason, because a person who pauses needs no notice", () => {
  const reason = "the disk is full: 0 KiB left in /state; free some space (no room)";
  expect(pausedWith(reason)).toMatchObject({ event: "waiting", state: "paused", reason });
  expect(pausedWith()).toBeUndefined();
});
