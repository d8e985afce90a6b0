// What every gate must keep to; run it against your own with any test runner that has describe, it and expect.
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Verdict, VerdictStatus } from "#spec/verdict";
import { plain } from "#text/plain-text";
import { broken, type TestApi } from "./api.ts";
import { exampleRequest, exampleRun } from "./run.ts";
import { uniqueRun } from "./unique-run.ts";

/** Makes gates for given situations; a situation that yours cannot be in is left out. */
export interface GateExamples {
  /** Two fresh folders: the workspace, and one outside of it for logs. */
  readonly folders: () => Pick<JudgeRequest, "dir" | "files">;
  readonly passes?: () => Gate;
  readonly fails?: () => Gate;
  /** Cannot judge: its tool is missing, or breaks. */
  readonly errors?: () => Gate;
  readonly waits?: () => Gate;
  /** Never comes to a verdict by itself. */
  readonly hangs?: () => Gate;
}

function problemsOf(verdict: Verdict): readonly string[] {
  const { status, score, summary, failures, tests, durationMs } = verdict;
  const total = tests === undefined || tests.passed + tests.failed + tests.skipped === tests.total;
  return broken([
    [score >= 0 && score <= 1, "the score is within 0..1"],
    [(status === "passed") === (score === 1), "the score is 1 when it passed, and only then"],
    [status !== "passed" || failures.length === 0, "a pass has no failures"],
    [status !== "failed" || failures.length > 0, "what failed is said"],
    [failures.every(({ message }) => message.trim() !== ""), "every failure says something"],
    [summary.trim() !== "" && !summary.includes("\n"), "the summary is one line"],
    [summary === plain(summary), "the summary is plain text"],
    [total, "the tests add up"],
    [durationMs >= 0, "the duration is a number of milliseconds"],
  ]);
}

export function gateConformance(
  name: string,
  examples: GateExamples,
  { describe, it, expect }: TestApi,
): void {
  const judge = (gate: Gate, signal: AbortSignal = new AbortController().signal) => {
    const run = { ...exampleRun([{ tree: "tree-1" }]), id: uniqueRun() };
    return gate.judge(exampleRequest({ run, ...examples.folders() }), signal);
  };
  const situations: readonly [VerdictStatus, (() => Gate) | undefined][] = [
    ["passed", examples.passes],
    ["failed", examples.fails],
    ["errored", examples.errors],
    ["waiting", examples.waits],
  ];
  const { hangs } = examples;

  describe(`${name} keeps the contract of a gate`, () => {
    for (const [status, make] of situations) {
      if (!make) continue;
      it(`gives a well-formed verdict: ${status}`, async () => {
        const verdict = await judge(make());
        expect(verdict.status).toEqual(status);
        expect(problemsOf(verdict)).toEqual([]);
      });

      it(`judges the same again: ${status}`, async () => {
        const gate = make();
        const first = await judge(gate);
        const second = await judge(gate);
        expect({ status: second.status, score: second.score }).toEqual({
          status: first.status,
          score: first.score,
        });
      });

      it(`never passes when it is cancelled beforehand: ${status}`, async () => {
        const verdict = await judge(make(), AbortSignal.abort());
        expect(problemsOf(verdict)).toEqual([]);
        expect(verdict.status === "passed").toEqual(false);
      });
    }

    if (hangs)
      it("gives up when it is cancelled, and has not passed", async () => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 300);
        const verdict = await judge(hangs(), controller.signal);
        expect(problemsOf(verdict)).toEqual([]);
        expect(verdict.status === "passed").toEqual(false);
      });
  });
}
