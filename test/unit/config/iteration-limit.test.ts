import { describe, expect, it } from "vitest";
import { builtIns } from "#catalog/built-ins";
import { readTask } from "#config/read-task";
import type { TaskInput } from "#config/task-options";
import { LOOP_DEFAULTS } from "#hooks/sessions/session-task";
import { foldAll } from "#loop/fold";
import { EVENT_VERSION } from "#spec/event";
import { exampleTask } from "#testing/run";
import { temporary } from "../../support/folders.ts";

const PARTS = { prompt: "Do it.", agent: { type: "command", command: "true" }, gates: ["true"] };

async function limitOf(flags: TaskInput, text = "", defaults?: TaskInput): Promise<number> {
  const source = {
    cwd: temporary(),
    flags: { ...PARTS, ...flags },
    text: text || "{}",
    ...(defaults && { defaults }),
  };
  return (await readTask(source, builtIns())).task.limits.iterations;
}

describe("the number of iterations", () => {
  it.each<[string, TaskInput, string, number]>([
    ["neither", {}, "", 20],
    ["--max-iterations 50", { limits: { iterations: 50 } }, "", 50],
    ["--strategy fixed", { strategy: "fixed" }, "", 20],
    ["--strategy fixed --max-iterations 50", { strategy: "fixed", limits: { iterations: 50 } }, "", 50],
    ["fixed: 25", {}, "strategy: {type: fixed, iterations: 25}", 25],
    ["ralph: 25", {}, "strategy: {type: ralph, maxIterations: 25}", 25],
    ["ralph without a number", {}, "strategy: ralph", 20],
    ["hybrid 3 + 2", {}, "strategy: {type: hybrid, baseIterations: 3, bonusIterations: 2}", 5],
    ["hybrid with a base only", {}, "strategy: {type: hybrid, baseIterations: 30}", 32],
    ["hybrid with a threshold only", {}, "strategy: {type: hybrid, progressThreshold: 0.2}", 5],
    ["hybrid with other options only", {}, "strategy: {type: hybrid, acceptPartialAfter: 4}", 20],
    ["both, the limit smaller", { limits: { iterations: 4 } }, "strategy: {type: fixed, iterations: 25}", 4],
    [
      "both, the strategy smaller",
      { limits: { iterations: 50 } },
      "strategy: {type: fixed, iterations: 25}",
      25,
    ],
    ["both in one file", {}, "strategy: {type: ralph, maxIterations: 9}\nlimits: {iterations: 30}", 9],
    ["adaptive", { strategy: "adaptive" }, "limits: {iterations: 7}", 7],
  ])("with %s", async (_, flags, text, iterations) => {
    expect(await limitOf(flags, text)).toBe(iterations);
  });

  it("defaults to the session loop's own until a number is given", async () => {
    expect(await limitOf({}, "", LOOP_DEFAULTS)).toBe(100);
    expect(await limitOf({ limits: { iterations: 300 } }, "", LOOP_DEFAULTS)).toBe(300);
    expect(await limitOf({}, "strategy: {type: ralph, maxIterations: 250}", LOOP_DEFAULTS)).toBe(250);
  });

  it("comes from the strategy when a recorded run has a number there and a higher limit", () => {
    const task = exampleTask({ strategy: { type: "fixed", iterations: 3 } });
    const head = { v: EVENT_VERSION, run: "r", seq: 1, time: "2026-01-01T00:00:00.000Z", elapsedMs: 0 };
    const started = { type: "run.started", task, taskHash: "", dir: "/", host: "h", version: "1" } as const;
    const resumed = { type: "run.resumed", host: "h", limits: { iterations: 9 } } as const;
    expect(foldAll([{ ...head, ...started }])?.task.limits.iterations).toBe(3);
    const run = foldAll([
      { ...head, ...started },
      { ...head, ...resumed, seq: 2 },
    ]);
    expect(run?.task.limits.iterations).toBe(9);
  });
});
