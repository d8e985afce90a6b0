import { expect, it } from "vitest";
import { stamp } from "#loop/stamp";
import { headline, noticeOf } from "#observers/notify/notice";
import type { EventBody } from "#spec/event";
import type { Notice } from "#spec/notify";
import type { Run } from "#spec/run";
import { exampleRun } from "#testing/run";

const noticeIn = (run: Run, body: EventBody) =>
  noticeOf(stamp(run, body, { time: "2026-01-01T00:00:00.000Z", elapsedMs: 0 }), run);

const pausedWith = (reason?: string) =>
  noticeIn(exampleRun([]), { type: "run.paused", ...(reason !== undefined && { reason }) });

it("makes a notice of a pause only when it has a reason, because a person who pauses needs no notice", () => {
  const reason = "the disk is full: 0 KiB left in /state; free some space (no room)";
  expect(pausedWith(reason)).toMatchObject({ event: "waiting", state: "paused", reason });
  expect(pausedWith()).toBeUndefined();
});

const ended = (): Run => {
  const run = exampleRun([]);
  const end = {
    outcome: "converged" as const,
    reason: "solved",
    iterations: 1,
    elapsedMs: 0,
    partial: false,
  };
  const body = { type: "run.ended" as const, ...end };
  return { ...run, state: "ended", ended: body };
};

const DELIVERED = { type: "branch" as const, tree: "t", branch: "converge/x", commit: "0123456789abcdef" };

it("makes a notice of a delivery only after the end, because an earlier one is part of the end", () => {
  const body = { type: "run.delivered" as const, delivered: DELIVERED };
  const notice = noticeIn(ended(), body);
  expect(notice).toMatchObject({
    event: "delivered",
    state: "converged",
    reason: "delivered as branch: branch converge/x, commit 0123456789ab",
  });
  expect(headline(notice as Notice)).toMatch(/^Converge: run \S+ was delivered$/);
  expect(noticeIn(exampleRun([]), body)).toBeUndefined();
});

it("makes no notice of a delivery that failed", () => {
  const delivered = { ...DELIVERED, problem: "the remote refused it" };
  expect(noticeIn(ended(), { type: "run.delivered", delivered })).toBeUndefined();
});

it("makes a notice of a restore by a person, not of one that the run does itself", () => {
  const body = { type: "workspace.restored" as const, iteration: 0, tree: "t", saved: "fedcba9876543210" };
  const notice = noticeIn(ended(), body);
  expect(notice).toMatchObject({
    event: "restored",
    state: "converged",
    reason: "the workspace has the files from before the run; the previous files are saved as fedcba987654",
  });
  expect(headline(notice as Notice)).toMatch(/^Converge: the workspace of run \S+ was restored$/);
  expect(noticeIn({ ...exampleRun([]), state: "paused" }, body)).toMatchObject({ state: "paused" });
  expect(noticeIn({ ...exampleRun([]), state: "running" }, body)).toBeUndefined();
});
