import { expect, it } from "vitest";
import { stamp } from "#loop/stamp";
import { spansOf } from "#observers/telemetry/spans";
import type { EventBody } from "#spec/event";
import type { Run } from "#spec/run";
import { exampleRun, exampleVerdict } from "#testing/run";

const FIRST = exampleRun([{}]);
const at = (run: Run, body: EventBody, laterMs: number) =>
  stamp(run, body, { time: new Date(Date.parse(run.updatedAt) + laterMs).toISOString(), elapsedMs: 0 });

it("gives a rate-limited and an interrupted agent one failed span each", () => {
  const delayed: EventBody = {
    ...{
      type: "agent.delayed",
      iteration: 1,
      until: "2030-01-01T00:00:00.000Z",
      reason: "words of a server",
    },
    usage: { inputTokens: 7 },
  };
  const [late] = spansOf(FIRST, at(FIRST, delayed, 500));
  expect(late).toMatchObject({
    ...{ name: "agent", isError: true },
    attributes: { "error.type": "rate-limited", "gen_ai.usage.input_tokens": 7 },
  });
  expect(late && late.to - late.from).toBe(500);
  const cut: EventBody = { type: "iteration.interrupted", iteration: 1, tree: "t", reason: "cut off" };
  const [interrupted] = spansOf({ ...FIRST, seq: FIRST.seq + 1 }, at(FIRST, cut, 900));
  expect(interrupted?.attributes["error.type"]).toBe("interrupted");
  expect(interrupted?.id).not.toBe(late?.id);
  expect(JSON.stringify([late, interrupted])).not.toMatch(/words of|cut off/);
});

it("uses the duration a gate reports, and has no span for a gate that did not judge", () => {
  const judged = (verdict: Parameters<typeof exampleVerdict>[0]): EventBody => ({
    ...{ type: "gate.judged", iteration: 1, gate: "tests" },
    verdict: exampleVerdict(verdict),
  });
  const [span] = spansOf(FIRST, at(FIRST, judged({ status: "errored", durationMs: 1_500 }), 5_000));
  expect(span).toMatchObject({ isError: true, attributes: { "converge.status": "errored" } });
  expect(span && span.to - span.from).toBe(1_500);
  expect(spansOf(FIRST, at(FIRST, judged({ status: "skipped" }), 1))).toEqual([]);
  expect(spansOf(FIRST, at(FIRST, judged({ status: "failed", carriedFrom: 1 }), 1))).toEqual([]);
});
