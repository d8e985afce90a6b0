import { describe, expect, it } from "vitest";
import { firstError } from "#memory/first-error";
import { type StructuredOptions, structured } from "#memory/structured";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { memoryConformance } from "#testing/memory";
import { exampleGate, exampleRun, exampleTask, exampleVerdict } from "#testing/run";

memoryConformance("structured", { make: structured, bound: 5_100 }, { describe, it, expect });
memoryConformance(
  "structured with one short entry",
  { make: () => structured({ entries: 1, chars: 100 }), bound: 100 },
  { describe, it, expect },
);

const judged = (parts: Partial<Verdict>, gate = "tests") => ({ gate, verdict: exampleVerdict(parts) });

const linesOf = (run: Run, options?: StructuredOptions) =>
  String(structured(options).recall(run))
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("structured memory", () => {
  it("has a line per iteration: files, gates, scores, failing tests, first error", () => {
    const run = exampleRun([
      {
        verdicts: [
          judged({
            score: 0.5,
            failures: [
              { id: "adds", message: "expected 2\nto be 3", location: "sum.test.ts:4" },
              { id: "divides", message: "no", location: "sum.test.ts:9" },
            ],
          }),
        ],
      },
    ]);
    const snapshot = {
      tree: "t",
      changes: [{ path: "sum.ts", kind: "changed" as const }],
      changeCount: 3,
      omitted: [],
    };
    const changed = { ...run, iterations: [{ ...(run.iterations[0] as Iteration), snapshot }] };
    expect(linesOf(changed)).toEqual([
      {
        iteration: 1,
        files: ["sum.ts"],
        filesLeftOut: 2,
        gates: [
          {
            gate: "tests",
            status: "failed",
            score: 0.5,
            failing: ["adds", "divides"],
            error: { message: "expected 2 to be 3", at: "sum.test.ts:4" },
          },
        ],
      },
    ]);
  });

  it("says why an agent failed, and only names gates that passed", () => {
    const run = exampleRun([
      { ok: false, verdicts: [judged({ status: "passed", evidence: { stdout: "error: not at all" } })] },
    ]);
    expect(linesOf(run)).toEqual([
      {
        iteration: 1,
        files: [],
        agent: { failure: "crashed", reason: "exit code 1" },
        gates: [{ gate: "tests", status: "passed", score: 1 }],
      },
    ]);
  });

  it("leaves out hidden and skipped gates", () => {
    const secret = exampleGate("secret");
    const hidden = {
      ...secret,
      policy: { ...secret.policy, onFailure: { action: "iterate" as const, feedback: "none" as const } },
    };
    const task = exampleTask({ gates: [hidden, exampleGate("tests")] });
    const verdicts = [judged({ summary: "hush" }, "secret"), judged({ status: "skipped" })];
    expect(linesOf(exampleRun([{ verdicts }], { task }))).toEqual([{ iteration: 1, files: [], gates: [] }]);
  });

  it("has changed tests, undone changes and false claims", () => {
    const suite = (...ids: readonly string[]) => [
      judged({
        tests: { total: 9, passed: 9 - ids.length, failed: ids.length, skipped: 0 },
        failures: ids.map((id) => ({ id, message: "no" })),
      }),
    ];
    const run = exampleRun([{ message: "DONE", verdicts: suite("b", "c") }], {
      baseline: { verdicts: suite("a", "b") },
    });
    const tampering = {
      changes: [{ path: "a.test.ts", kind: "changed" as const }],
      action: "restore" as const,
    };
    const undone = { ...run, iterations: [{ ...(run.iterations[0] as Iteration), tampering }] };
    expect(linesOf(undone)).toEqual([
      {
        iteration: 1,
        files: [],
        undone: ["a.test.ts (changed)"],
        falseClaim: "DONE",
        gates: [
          {
            gate: "tests",
            status: "failed",
            score: 0,
            fixed: ["a"],
            newlyFailing: ["c"],
            failing: ["b", "c"],
            error: { message: "no" },
          },
        ],
      },
    ]);
  });

  it("keeps only the last iterations", () => {
    const run = exampleRun(Array(8).fill({}));
    expect(linesOf(run).map(({ iteration }) => iteration)).toEqual([4, 5, 6, 7, 8]);
    expect(linesOf(run, { entries: 2 }).map(({ iteration }) => iteration)).toEqual([7, 8]);
  });

  it("reduces detail to stay valid JSON within any limit", () => {
    const failures = Array.from({ length: 200 }, (_, index) => ({
      id: `"test" \\ ${index} ${"🦊".repeat(100)}`,
      message: '"\\\n'.repeat(1_000),
      location: "a.ts:1",
    }));
    const run = exampleRun([{ verdicts: [judged({ failures })] }]);
    for (let chars = 100; chars <= 4_000; chars += 13) {
      const line = String(structured({ chars }).recall(run));
      expect(line.length).toBeLessThanOrEqual(chars);
      expect(line.isWellFormed()).toBe(true);
      expect(JSON.parse(line).iteration).toBe(1);
    }
    expect(linesOf(run, { chars: 4_000 })).toMatchObject([{ gates: [{ failingLeftOut: 190 }] }]);
  });
});

describe("the first error", () => {
  const of = (stdout: string, stderr = "") =>
    firstError(
      exampleVerdict({ failures: [{ message: "exit code 1" }], evidence: { stdout, stderr } }),
      "/project",
    );

  it.each([
    [
      "TypeScript",
      "src/sum.ts(3,7): error TS2322: Type 'string' is not assignable.\nsrc/b.ts(1,1): error TS1: no",
      { message: "src/sum.ts(3,7): error TS2322: Type 'string' is not assignable.", at: "src/sum.ts:3" },
    ],
    [
      "Node",
      "/project/a.js:1\nboom(\n^\n\nReferenceError: boom is not defined\n    at run (/project/lib/a.js:7:3)\n    at node:internal/x:1:1",
      { message: "ReferenceError: boom is not defined", at: "lib/a.js:7" },
    ],
    [
      "Python",
      'Traceback (most recent call last):\n  File "app/main.py", line 3, in <module>\n    f()\n  File "app/sum.py", line 9, in f\n    raise ValueError("bad")\nValueError: bad',
      { message: "ValueError: bad", at: "app/sum.py:9" },
    ],
    [
      "Rust",
      "   Compiling app\nerror[E0308]: mismatched types\n --> src/main.rs:2:5\n",
      { message: "error[E0308]: mismatched types", at: "src/main.rs:2" },
    ],
    ["gcc", "a.c:5:9: error: expected ';'\n", { message: "a.c:5:9: error: expected ';'", at: "a.c:5" }],
    ["nothing special", "0 errors\nfine so far\n", { message: "exit code 1" }],
  ])("is found in the output of %s", (_, output, error) => {
    expect(of(output)).toEqual(error);
    expect(of("", output)).toEqual(error);
  });

  it("is not a notice of npm or make", () => {
    const notices = "npm error code 1\nnpm error path /project\nnpm error command failed\n";
    const [stdout, stderr] = [
      "FAIL 1900: want no, got yes\n",
      `${notices}make: *** [Makefile:6: test] Error 1\n`,
    ];
    expect(of(stdout, stderr)).toEqual({ message: "FAIL 1900: want no, got yes" });
  });

  it("is taken from the failure message before the end of the output", () => {
    const verdict = exampleVerdict({
      summary: "exit code 1",
      failures: [{ message: "exit code 1\nrunning\nfatal: first" }],
      evidence: { stdout: "fatal: last" },
    });
    expect(firstError(verdict, "/project")).toEqual({ message: "fatal: first" });
  });

  it("is that of the first failing test, if there is one", () => {
    const failures = [{ message: "too few" }, { id: "adds", message: "1 is not 2", location: "a.ts:1" }];
    const verdict = exampleVerdict({ failures, evidence: { stdout: "error: other" } });
    expect(firstError(verdict, "/project")).toEqual({ id: "adds", message: "1 is not 2", at: "a.ts:1" });
  });

  it("is absent without output", () => {
    expect(firstError(exampleVerdict({}), "/project")).toBeUndefined();
  });
});
