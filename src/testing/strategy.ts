// Conformance suite for strategies. Runs with any test runner that has describe, it and expect.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { brokenRules, type TestApi } from "./api.ts";
import { exampleRun, exampleTask } from "./run.ts";

const runs: Readonly<Record<string, Run>> = {
  "a run without iterations": exampleRun([]),
  "one failed iteration": exampleRun([{ score: 0.5 }]),
  "a run that improves": exampleRun([{ score: 0.2 }, { score: 0.5 }, { score: 0.9 }]),
  "a run that repeats itself": exampleRun(Array(4).fill({ tree: "same", message: "I tried again." })),
  "messages that claim completion": exampleRun([{ message: "DONE" }, { message: "<promise>DONE</promise>" }]),
  "an agent that crashed": exampleRun([{ ok: false, status: {}, score: null, tree: null }]),
  "no snapshots and no scores": exampleRun([
    { tree: null, score: null },
    { tree: null, score: null },
  ]),
  "gates that errored, waited or were skipped": exampleRun([
    { status: "errored" },
    { status: "waiting" },
    { status: "skipped" },
  ]),
  "a task without gates": exampleRun([{}, {}], { task: exampleTask({ gates: [] }) }),
  "a run whose gates pass": exampleRun([{}, { status: "passed" }]),
};

type MakeStrategy = () => Strategy | Promise<Strategy>;

export interface StrategyExamples {
  /** Creates a new strategy. */
  readonly make: MakeStrategy;
  /** Maximum number of iterations of a run that never improves; 100 if omitted. */
  readonly bound?: number;
}

/** `examples` may be just a function that creates a new strategy. */
export function strategyConformance(
  name: string,
  examples: MakeStrategy | StrategyExamples,
  { describe, it, expect }: TestApi,
): void {
  const { make, bound = 100 } = typeof examples === "function" ? { make: examples } : examples;
  const decide = async (run: Run): Promise<Decision> => (await make())(run);

  describe(`${name} conforms to the strategy contract`, () => {
    for (const [title, run] of Object.entries(runs)) {
      it(`makes the same decision again, without changing the run: ${title}`, async () => {
        const strategy = await make();
        const first = await strategy(run);
        for (const other of Object.values(runs)) await strategy(other);
        expect(await strategy(run)).toEqual(first);
        expect(await decide(run)).toEqual(first);
      });

      it(`gives a well-formed decision: ${title}`, async () => {
        expect(problemsOf(await decide(run))).toEqual([]);
      });
    }

    it("continues when nothing has been tried", async () => {
      expect((await decide(exampleRun([]))).continue).toEqual(true);
    });

    it("stops when the gates pass", async () => {
      for (const before of [0, 1, 5]) {
        const run = exampleRun([...Array(before).fill({}), { status: "passed" }]);
        expect((await decide(run)).continue).toEqual(false);
      }
    });

    it(`stops within ${bound} iterations when nothing ever improves`, async () => {
      expect(await runWithoutProgress(decide, bound)).toEqual("stopped");
    });
  });
}

// Every iteration differs in files and message, so that only a limit ends the run.
async function runWithoutProgress(decide: Strategy, bound: number): Promise<string> {
  for (let count = 1; count <= bound; count++) {
    const iterations = Array.from({ length: count }, (_, index) => ({ message: `attempt ${index} of mine` }));
    const decision = await decide(exampleRun(iterations));
    if (!decision.continue) return "stopped";
  }
  return `still continues after ${bound} iterations`;
}

function problemsOf(decision: Decision): readonly string[] {
  const { continue: goesOn, reason, confidence, accept, wait, rollbackTo } = decision;
  return brokenRules([
    [typeof goesOn === "boolean", "continue is true or false"],
    [typeof reason === "string" && reason.trim() !== "", "reason is not blank"],
    [confidence >= 0 && confidence <= 1, "confidence is within 0..1"],
    [!(goesOn && (accept || wait)), "accept and wait come with continue: false"],
    [goesOn || rollbackTo === undefined, "rollbackTo comes with continue: true"],
  ]);
}
