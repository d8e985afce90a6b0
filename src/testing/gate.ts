// Conformance suite for gates. Runs with any test runner that has describe, it and expect.
import type { Gate, JudgeRequest } from "#spec/gate";
import type { Verdict, VerdictStatus } from "#spec/verdict";
import { plain } from "#text/plain-text";
import { brokenRules, type TestApi } from "./api.ts";
import { exampleRequest, exampleRun } from "./run.ts";
import { uniqueRun } from "./unique-run.ts";

/** Factories of gates with a given outcome. Omit an outcome that your gate cannot have. */
export interface GateExamples {
  /** Creates two new folders: the workspace, and one outside it for logs. */
  readonly folders: () => Pick<JudgeRequest, "dir" | "files">;
  readonly passes?: () => Gate;
  readonly fails?: () => Gate;
  /** Cannot judge, because its tool is missing or crashes. */
  readonly errors?: () => Gate;
  readonly waits?: () => Gate;
  /** Never returns a verdict by itself. */
  readonly hangs?: () => Gate;
}

function problemsOf(verdict: Verdict): readonly string[] {
  const { status, score, summary, failures, tests, durationMs } = verdict;
  const addsUp = tests === undefined || tests.passed + tests.failed + tests.skipped === tests.total;
  return brokenRules([
    [score >= 0 && score <= 1, "the score is within 0..1"],
    [(status === "passed") === (score === 1), "the score is 1 exactly when the gate passed"],
    [status !== "passed" || failures.length === 0, "a passed verdict has no failures"],
    [status !== "failed" || failures.length > 0, "a failed verdict has failures"],
    [failures.every(({ message }) => message.trim() !== ""), "every failure has a message"],
    [summary.trim() !== "" && !summary.includes("\n"), "the summary is one line"],
    [summary === plain(summary), "the summary is plain text"],
    [addsUp, "passed, failed and skipped tests add up to the total"],
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

  describe(`${name} conforms to the gate contract`, () => {
    for (const [status, make] of situations) {
      if (!make) continue;
      it(`gives a well-formed verdict: ${status}`, async () => {
        const verdict = await judge(make());
        expect(verdict.status).toEqual(status);
        expect(problemsOf(verdict)).toEqual([]);
      });

      it(`gives the same verdict again: ${status}`, async () => {
        const gate = make();
        const first = await judge(gate);
        const second = await judge(gate);
        expect({ status: second.status, score: second.score }).toEqual({
          status: first.status,
          score: first.score,
        });
      });

      it(`never passes when it is already cancelled: ${status}`, async () => {
        const verdict = await judge(make(), AbortSignal.abort());
        expect(problemsOf(verdict)).toEqual([]);
        expect(verdict.status === "passed").toEqual(false);
      });
    }

    if (hangs)
      it("returns without a pass when it is cancelled", async () => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 300);
        const verdict = await judge(hangs(), controller.signal);
        expect(problemsOf(verdict)).toEqual([]);
        expect(verdict.status === "passed").toEqual(false);
      });
  });
}
