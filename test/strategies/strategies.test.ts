import { describe, expect, it } from "vitest";
import { builtIns, converge, foldAll, type Verdict } from "../../src/index.ts";
import { runTask } from "../support/run-task.ts";
import { sandbox } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });

/** Each iteration writes its content to the file `n`; later iterations repeat the last one. */
const writing = (...contents: string[]) => script(...contents.map((content) => [{ write: { n: content } }]));

const idle = script([]);
const RED = { name: "red", command: "false" };
const GREEN = { name: "green", command: "true" };

const tap = (passed: number, total = 10) =>
  [`1..${total}`, ...Array.from({ length: total }, (_, at) => `${at < passed ? "ok" : "not ok"} ${at + 1} t`)]
    .map((line) => `${line}\n`)
    .join("");

/** A gate with a score: the test report that the agent wrote to the file `n`. */
const TESTS = { name: "tests", command: "cat n && ! grep -q '^not ok' n" };

describe("fixed", () => {
  it("runs exactly N iterations and calls the agent N times", async () => {
    const ran = await runTask({
      agent: script([{ run: "echo once >> ran" }]),
      gates: [RED],
      strategy: { type: "fixed", iterations: 4 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(ran.reason).toContain("all 4 iterations are used");
    expect(ran.box.read("ran")).toBe("once\n".repeat(4));
  });

  it("ends early when it converges", async () => {
    const ran = await runTask({
      agent: writing("1", "2"),
      gates: ['test "$(cat n)" = 2'],
      strategy: { type: "fixed", iterations: 4 },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2, partial: false });
  });

  it("is converged when it converges on the last of its N iterations", async () => {
    const ran = await runTask({
      agent: writing("1", "2", "3"),
      gates: ['test "$(cat n)" = 3'],
      strategy: { type: "fixed", iterations: 3 },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
  });
});

describe("hybrid: base and bonus iterations", () => {
  const scoring = (strategy: object, ...passed: number[]) =>
    runTask(
      { agent: writing(...passed.slice(1).map((count) => tap(count))), gates: [TESTS], strategy },
      { n: tap(passed[0] ?? 0) },
    );

  it("grants bonus iterations while the score rises, up to the maximum", async () => {
    const ran = await scoring(
      { type: "hybrid", baseIterations: 2, bonusIterations: 2 },
      ...[1, 2, 4, 6, 8, 9],
    );
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(ran.decisions.map((decision) => decision.reason)).toEqual([
      "on to iteration 2 of 4",
      "on to bonus iteration 3 of 4: the score rose by 0.2",
      "on to bonus iteration 4 of 4: the score rose by 0.2",
      "all 4 iterations are used",
    ]);
  });

  it("converges in a bonus iteration", async () => {
    const ran = await scoring({ type: "hybrid", baseIterations: 1, bonusIterations: 1 }, 2, 5, 10);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  });

  it("grants none for a high score without improvement", async () => {
    const ran = await scoring({ type: "hybrid", baseIterations: 2, bonusIterations: 2 }, 9, 9, 9);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.reason).toContain("the score did not rise");
  });

  it("compares with the best score so far, not with the last", async () => {
    const ran = await scoring({ type: "hybrid", baseIterations: 3, bonusIterations: 2 }, 0, 6, 2, 5);
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 3 });
    expect(ran.reason).toContain("the score did not rise");
  });

  it("requires a rise of 0.1, or of progressThreshold", async () => {
    const usual = await scoring({ type: "hybrid", baseIterations: 1, bonusIterations: 1 }, 2, 3, 3);
    expect(usual.iterations).toBe(2);
    const strict = { type: "hybrid", baseIterations: 1, bonusIterations: 1, progressThreshold: 0.3 };
    const told = await scoring(strict, 2, 4, 4);
    expect(told.iterations).toBe(1);
    expect(told.reason).toContain("the score rose by 0.2 in iteration 1, and a bonus iteration needs 0.3");
  });
});

describe("hybrid: completion criteria", () => {
  const finished = { agent: script([{ say: "DONE" }]) };

  it.each([
    [["no-changes", "agent-signal"], "iteration 1 changed nothing"],
    [["agent-signal", "no-changes"], 'the agent said "DONE" and no gate is configured'],
  ])("checks %j in the configured order", async (completionCriteria, reason) => {
    const ran = await runTask({ ...finished, strategy: { type: "hybrid", completionCriteria } });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1, reason });
  });

  it("checks none that is not configured", async () => {
    const ran = await runTask({ ...finished, gates: [RED], strategy: { type: "hybrid", baseIterations: 2 } });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
  });

  it("no-changes with red gates is partial, never exit 0", async () => {
    const ran = await runTask({
      agent: writing("1", "1"),
      gates: [RED],
      strategy: { type: "hybrid", completionCriteria: ["no-changes"] },
    });
    expect(ran).toMatchObject({ code: 6, outcome: "converged", partial: true, iterations: 2 });
    expect(ran.reason).toBe("iteration 2 changed nothing");
  });

  it("agent-signal ends the run as partial with red gates and names them", async () => {
    const ran = await runTask({
      agent: script([{ write: { n: "1" } }, { say: "DONE" }], [{ write: { n: "2" } }]),
      gates: [{ name: "two", command: 'test "$(cat n)" = 2' }],
      strategy: { type: "hybrid", completionCriteria: ["agent-signal"] },
    });
    expect(ran).toMatchObject({ code: 6, outcome: "converged", partial: true, iterations: 1 });
    expect(ran.reason).toBe('the agent said "DONE" and these gates are red: two (failed)');
  });

  const verdict = (status: Verdict["status"], levels?: number): Verdict => ({
    status,
    score: status === "passed" ? 1 : 0,
    summary: status,
    failures: [],
    evidence: {},
    durationMs: 0,
    ...(levels !== undefined && { levels }),
  });

  const judgedBy = async (strategy: object, verdicts: Readonly<Record<string, Verdict>>) => {
    const box = sandbox();
    const registries = builtIns();
    for (const type of Object.keys(verdicts).filter((type) => type !== "command"))
      registries.gates.register(
        type,
        { create: (_, { name }) => ({ name, judge: async () => verdicts[type] ?? verdict("errored") }) },
        { overwrite: true },
      );
    const gates = Object.keys(verdicts).map((type) => ({ name: type, type, command: "false" }));
    const task = { prompt: "p", agent: idle, gates, strategy: { type: "hybrid", ...strategy } };
    return converge(task, { cwd: box.dir, home: box.home, registries });
  };

  it("verification-pass is met at minLevel, and not below", async () => {
    const criteria = { completionCriteria: ["verification-pass"], minLevel: 1, baseIterations: 1 };
    // Two levels pass: level 0 and level 1.
    expect(await judgedBy(criteria, { levels: verdict("failed", 2) })).toMatchObject({
      outcome: "converged",
      partial: true,
      reason: "iteration 1 reached verification level 1",
    });
    expect(await judgedBy(criteria, { levels: verdict("failed", 1) })).toMatchObject({ outcome: "diverged" });
  });

  it("ci-pass is met when CI passed, even when other gates are red", async () => {
    const criteria = { completionCriteria: ["ci-pass"], baseIterations: 1 };
    expect(await judgedBy(criteria, { ci: verdict("passed"), command: verdict("failed") })).toMatchObject({
      outcome: "converged",
      partial: true,
      reason: "CI passed after iteration 1 (ci)",
    });
    expect(await judgedBy(criteria, { ci: verdict("failed"), command: verdict("failed") })).toMatchObject({
      outcome: "diverged",
    });
  });
});

describe("hybrid: loop detection", () => {
  const long = { type: "hybrid", baseIterations: 6 };

  it("warns the agent once after three times the same files and failures, then ends the run as diverged", async () => {
    const agent = writing("a", "b", "a", "b", "a", "b");
    for (const strategy of [{ type: "hybrid" }, { ...long, baseIterations: 8 }]) {
      const ran = await runTask({ agent, gates: [RED], strategy });
      expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 6 });
      expect(ran.prompts[5]).toContain(
        "You go in circles: iterations 1, 3 and 5 left the same files and the same failures. ",
      );
      expect(ran.reason).toBe(
        "stuck: iterations 2, 4 and 6 left the same files and the same failures, even after the agent was told to change its approach",
      );
    }
  });

  it("does not count an idle agent as a circle", async () => {
    const ran = await runTask({ agent: idle, gates: [RED], strategy: long });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 6 });
    expect(ran.prompts.join("\n")).not.toContain("You go in circles");
    expect(ran.reason).toContain("the score did not rise in iteration 6");
  });

  it("detects repetitions that are not consecutive", async () => {
    const ran = await runTask({ agent: writing("a", "b", "a", "c", "a"), gates: [RED], strategy: long });
    expect(ran.prompts[5]).toContain("iterations 1, 3 and 5 left the same files");
  });

  it("does not count the same files with other verdicts", async () => {
    const counting = [
      "echo 1..9; for n in 1 2 3 4 5 6 7 8 9; do",
      'test "$n" -le "$CONVERGE_ITERATION" && echo "ok $n t" || echo "not ok $n t"; done; false',
    ];
    const gates = [{ name: "counting", command: counting.join(" ") }];
    const ran = await runTask({ agent: idle, gates, strategy: { ...long, bonusIterations: 0 } });
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 6 });
    expect(ran.reason).toContain("all 6 iterations are used");
  });

  it("can be switched off", async () => {
    const strategy = { ...long, baseIterations: 4, loopDetection: false };
    expect((await runTask({ agent: idle, gates: [RED], strategy })).iterations).toBe(4);
  });
});

describe("hybrid: acceptPartialAfter", () => {
  const partly = (strategy: object, gates: readonly object[]) =>
    runTask({ agent: script([{ run: "echo more >> n" }]), gates, strategy: { type: "hybrid", ...strategy } });

  it("ends as converged with partial: true and exit 6, when a gate passed", async () => {
    const ran = await partly({ baseIterations: 2, acceptPartialAfter: 2 }, [GREEN, RED]);
    expect(ran).toMatchObject({ code: 6, outcome: "converged", partial: true, iterations: 2 });
    expect(ran.reason).toContain("accepted in part (green passed)");
  });

  it("does not accept before N iterations", async () => {
    const ran = await partly({ baseIterations: 2, acceptPartialAfter: 3 }, [GREEN, RED]);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", partial: false, iterations: 2 });
  });

  it("does not accept when no gate passed", async () => {
    const ran = await partly({ baseIterations: 2, acceptPartialAfter: 1 }, [RED]);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", partial: false });
  });

  it("is not partial when everything passes", async () => {
    const ran = await partly({ baseIterations: 2, acceptPartialAfter: 1 }, [
      GREEN,
      { name: "twice", command: "test $(wc -l < n) = 2" },
    ]);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", partial: false, iterations: 2 });
  });
});

describe("all strategies", () => {
  const REPLAYED: readonly [string, object][] = [
    ["fixed", { iterations: 4 }],
    ["hybrid", { baseIterations: 2, bonusIterations: 2 }],
    ["ralph", { maxIterations: 4 }],
    ["manual", {}],
  ];
  const telling = script(
    [{ write: { n: tap(2) } }, { say: "A start is made." }],
    [{ write: { n: tap(5) } }, { say: "DONE" }],
    [{ write: { n: tap(7) } }],
    [{ write: { n: tap(10) } }, { say: "DONE" }],
  );

  it.each(REPLAYED)("%s makes the recorded decisions again when replayed", async (type, options) => {
    const ran = await runTask({ agent: telling, gates: [TESTS], strategy: { type, ...options } });
    const onClose = () => {};
    const strategy = await builtIns().strategies.create(
      { type, ...options },
      {
        name: "strategy",
        onClose,
        commands: [],
        prices: {},
        agent: () => Promise.reject(new Error("no agents here")),
      },
    );
    const replayed = ran.events.flatMap((event, at) =>
      event.type === "decision.made" ? [foldAll(ran.events.slice(0, at))] : [],
    );
    expect(replayed.length).toBeGreaterThan(0);
    for (const pass of [1, 2])
      for (const [index, run] of replayed.entries()) {
        if (!run) throw new Error("a decision without a run");
        const before = JSON.stringify(run);
        expect(await strategy(run), `pass ${pass}, decision ${index + 1}`).toEqual(ran.decisions[index]);
        expect(JSON.stringify(run)).toBe(before);
      }
  });

  it.each(REPLAYED)("%s stops when the gates pass, even with empty output", async (type, options) => {
    const ran = await runTask({
      agent: writing(tap(10)),
      gates: [TESTS],
      strategy: { type, ...options },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(ran.decisions).toHaveLength(1);
    expect(ran.decisions[0]).toMatchObject({ continue: false, confidence: 1 });
  });

  it("every decision has a reason and a confidence between 0 and 1", async () => {
    const { decisions } = await runTask({ agent: telling, gates: [TESTS] });
    expect(decisions.length).toBeGreaterThan(1);
    for (const { reason, confidence } of decisions) {
      expect(reason).not.toBe("");
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });
});
