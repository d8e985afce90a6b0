import { describe, expect, it } from "vitest";
import { type ApprovalOptions, approval } from "#gates/approval";
import type { Iteration } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRequest, exampleRun, exampleVerdict } from "#testing/run";
import { folders } from "../../support/folders.ts";

type Answer = Iteration["approvals"][number];

const NOON = "2026-01-01T12:00:00.000Z";
const ONE = "2026-01-01T13:00:00.000Z";
const HOUR = 3_600_000;

const yes = (by: string): Answer => ({ type: "approve", gate: "review", by });
const no = (by: string, message?: string): Answer => ({
  type: "reject",
  gate: "review",
  by,
  ...(message && { message }),
});

interface Situation extends Partial<Pick<Iteration, "asked" | "verdicts">> {
  readonly answers?: readonly Answer[];
  readonly now?: string;
}

function judge(options: ApprovalOptions, situation: Situation = {}, iteration = 1): Promise<Verdict> {
  const { answers = [], now = NOON, ...parts } = situation;
  const run = exampleRun([{}]);
  const iterations = run.iterations.map((one) => ({ ...one, verdicts: [], approvals: answers, ...parts }));
  const request = exampleRequest({ run: { ...run, iterations }, iteration, dir: "/", files: "/" });
  return approval("review", options, () => now).judge(request, new AbortController().signal);
}

gateConformance("the approval gate", { folders, waits: () => approval("review") }, { describe, it, expect });

describe("counting approvals", () => {
  it("waits, and shows the question, the count and the people who may approve", async () => {
    const three = { approvers: ["ann", "bob", "cat"], minimum: 2, message: "Is it\n safe?" };
    expect(await judge(three)).toMatchObject({
      status: "waiting",
      score: 0,
      summary: "Is it safe? (0 of 2 approvals; ann, bob or cat may approve)",
    });
    expect((await judge(three, { answers: [yes("bob")] })).summary).toBe(
      "Is it safe? (1 of 2 approvals by bob; ann or cat may approve)",
    );
    expect((await judge({})).summary).toBe("waiting for approval (0 of 1 approvals; anybody may approve)");
  });

  it("passes once enough people approved, each counted once", async () => {
    const two = { minimum: 2 };
    expect((await judge(two, { answers: [yes("ann"), yes("ann")] })).status).toBe("waiting");
    expect(await judge(two, { answers: [yes("ann"), yes("bob")] })).toMatchObject({
      status: "passed",
      score: 1,
      summary: "approved by ann and bob",
      failures: [],
    });
  });

  it("ignores answers from other people and answers to other gates", async () => {
    const only = { approvers: ["ann"] };
    expect((await judge(only, { answers: [yes("eve")] })).status).toBe("waiting");
    expect((await judge(only, { answers: [no("eve", "I do not like it")] })).status).toBe("waiting");
    expect((await judge({}, { answers: [{ ...yes("ann"), gate: "other" }] })).status).toBe("waiting");
    expect((await judge(only, { answers: [yes("ann")] })).status).toBe("passed");
  });

  it("fails after one rejection and names the person and the reason", async () => {
    const answers = [yes("ann"), no("bob", "the changelog is missing")];
    expect(await judge({ minimum: 2 }, { answers })).toMatchObject({
      status: "failed",
      summary: "rejected by bob",
      failures: [{ message: "rejected by bob: the changelog is missing" }],
    });
  });

  it("counts only a person's latest answer", async () => {
    expect((await judge({}, { answers: [no("ann"), yes("ann")] })).status).toBe("passed");
    expect((await judge({}, { answers: [yes("ann"), no("ann")] })).status).toBe("failed");
  });

  it("strips escape sequences and newlines from a name", async () => {
    expect((await judge({}, { answers: [yes("a\u001b[31mnn\nx")] })).summary).toBe("approved by ann x");
  });
});

describe("approval of the baseline", () => {
  it("waits without a deadline, even if somebody has approved", async () => {
    const verdict = await judge({ timeoutMs: HOUR }, { answers: [yes("ann")] }, 0);
    expect(verdict).toMatchObject({
      status: "waiting",
      summary: "approval is requested after the first iteration",
    });
    expect(verdict.until).toBeUndefined();
  });
});

describe("the approval timeout", () => {
  it("starts when approval is first requested", async () => {
    expect((await judge({ timeoutMs: HOUR })).until).toBe(ONE);
    const later = { asked: { review: NOON }, now: "2026-01-01T12:59:59.999Z" };
    expect(await judge({ timeoutMs: HOUR }, later)).toMatchObject({ status: "waiting", until: ONE });
  });

  it("does not restart when the gate judges again at the deadline", async () => {
    const until = "2026-01-01T12:59:59.990Z";
    const verdicts = [{ gate: "review", verdict: exampleVerdict({ status: "waiting", until }) }];
    const again = await judge({ timeoutMs: HOUR }, { asked: { review: NOON }, verdicts, now: until });
    expect(again).toMatchObject({ status: "failed", summary: "nobody approved within 1h" });
  });

  it("fails the gate after the deadline and shows the number of approvals", async () => {
    const over = { asked: { review: NOON }, now: ONE };
    expect(await judge({ timeoutMs: HOUR, minimum: 2 }, { ...over, answers: [yes("ann")] })).toMatchObject({
      status: "failed",
      summary: "only 1 of 2 approved within 1h: ann",
    });
    expect(
      (await judge({ timeoutMs: 90 * 60_000 }, { asked: { review: NOON }, now: "2026-01-02" })).summary,
    ).toBe("nobody approved within 1h 30m");
  });

  it("keeps a pass when enough approvals came in time", async () => {
    const over = { asked: { review: NOON }, now: ONE, answers: [yes("ann")] };
    expect((await judge({ timeoutMs: HOUR }, over)).status).toBe("passed");
  });
});

it("handles a gate whose name is an Object.prototype property", async () => {
  const gate = approval("constructor", { timeoutMs: HOUR }, () => NOON);
  const request = exampleRequest({ run: exampleRun([{ verdicts: [] }]), dir: "/", files: "/" });
  expect(await gate.judge(request, new AbortController().signal)).toMatchObject({ until: ONE });
});
