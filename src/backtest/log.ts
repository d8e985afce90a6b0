// Converts logs of other loops, one run per line, to runs, so that strategies see what they would have seen live.
import * as z from "zod";
import { newIteration } from "#loop/folds/new-run";
import { defaultTask } from "#rules/default-task";
import type { Iteration, Run } from "#spec/run";
import { GATE_POLICY_DEFAULTS, TASK_DEFAULTS, type Task } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import type { Sequence } from "./sequence.ts";

/** A line with more iterations is not a log of a loop. */
const MAX_ITERATIONS = 10_000;

const fraction = z.number().min(0).max(1);

const step = z.looseObject({
  /** 1 when everything passed. */
  score: fraction,
  /** Hashes of the files it left and of the gates' output. */
  act_hash: z.string().optional(),
  out_hash: z.string().optional(),
  /** Similarity of the agent's message, or the gates' output, to the previous iteration. */
  sim_act: fraction.optional(),
  sim_out: fraction.optional(),
  fails: z.array(z.string()).optional(),
  /** In dollars. */
  cost: z.number().min(0).optional(),
});

const row = z.looseObject({
  id: z.string(),
  /** The file name by default. */
  source: z.string().optional(),
  /** The project; lessons are learned per project. */
  group: z.string().default(""),
  model: z.string().default(""),
  task: z.string().optional(),
  budget: z.int().min(1),
  iters: z.array(step).min(1).max(MAX_ITERATIONS),
  success: z.boolean(),
  end: z.string(),
});

type Step = z.output<typeof step>;

/** Endings that do not show whether another iteration would have passed. */
const CUT_SHORT = /^(?:agent|error|abort|crash|timeout)/;

function verdictOf({ score, fails }: Step, output: string): Verdict {
  return {
    status: score >= 1 ? "passed" : "failed",
    score,
    summary: "",
    failures: (fails ?? []).map((id) => ({ id, message: id })),
    ...(fails && { tests: { passed: 0, failed: fails.length, skipped: 0, total: fails.length } }),
    evidence: { command: "", exitCode: score >= 1 ? 0 : 1, stdout: output },
    durationMs: 0,
  };
}

const START = "1970-01-01T00:00:00.000Z";
const GATE = "gate";

function taskOf(id: string, budget: number): Task {
  return defaultTask({
    prompt: id,
    agents: [{ type: "log" }],
    isolation: { ...TASK_DEFAULTS.isolation, type: "off" },
    gates: [{ name: GATE, use: { type: "log" }, policy: GATE_POLICY_DEFAULTS }],
    strategy: { type: "log" },
    memory: { type: "none" },
    workspace: { dir: "" },
    limits: { iterations: budget, iterationMs: 1, agentFailures: budget + 1 },
    baseline: false,
    feedback: { failures: 1, chars: 1, total: 1 },
  });
}

// Logs have only hashes and similarities, so the texts are generated: as similar as the log says.

/** Chosen so that the similarity threshold 0.95 is exact: 38 of 40 lines. */
const TEXT_LINES = 39;
const LINE_NAMES: string[] = [];

/** The n-th line. Comparisons ignore numbers, so lines differ by letters. */
function lineOf(at: number): string {
  LINE_NAMES[at] ??= `x${at.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`;
  return LINE_NAMES[at];
}

/** Returns a generator of texts that share as many lines as the log says; the same name gives the same text. */
function createTexts() {
  const textsByName = new Map<string, readonly string[]>();
  let nextLine = 0;
  let before: readonly string[] = [];
  return (name: string | undefined, similarity = 0): string => {
    const shared = Math.floor((2 * TEXT_LINES * similarity) / (1 + similarity) + 1e-9);
    const lines = (name === undefined ? undefined : textsByName.get(name)) ?? [
      ...before.slice(0, shared),
      ...Array.from({ length: TEXT_LINES - shared }, () => lineOf(nextLine++)),
    ];
    if (name !== undefined) textsByName.set(name, lines);
    before = lines;
    return lines.join("\n");
  };
}

/** Empty when the log has no output: made-up text would make iterations differ that may be equal. */
function outputOf({ out_hash, sim_out }: Step, output: ReturnType<typeof createTexts>): string {
  return out_hash === undefined && sim_out === undefined ? "" : output(out_hash, sim_out);
}

const startedIteration = (number: number) =>
  newIteration({ number, prompt: "" }, { time: START, elapsedMs: number });

function iterationsOf(steps: readonly Step[]): readonly Iteration[] {
  const [words, output] = [createTexts(), createTexts()];
  return steps.map((each, at) => ({
    ...startedIteration(at + 1),
    agent: {
      ok: true,
      exitCode: 0,
      message: words(each.act_hash, each.sim_act),
      usage: each.cost === undefined ? {} : { costUsd: each.cost },
      durationMs: 0,
      leftBehind: [],
    },
    ...(each.act_hash !== undefined && {
      snapshot: { tree: each.act_hash, changes: [], changeCount: 0, omitted: [] },
    }),
    verdicts: [{ gate: GATE, verdict: verdictOf(each, outputOf(each, output)) }],
    score: each.score,
  }));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns undefined for a line that is not such a log. */
export function readLog(line: string, file = ""): Sequence | undefined {
  const result = row.safeParse(parseJson(line));
  if (!result.success) return undefined;
  const { id, source = file, group, model, task = id, budget, iters: all, success, end } = result.data;
  // Drop iterations after success: our loop would have stopped there.
  const passed = all.findIndex(({ score }) => score >= 1);
  const iters = passed === -1 ? all : all.slice(0, passed + 1);
  const run: Run = {
    id,
    seq: 1,
    task: taskOf(id, Math.max(budget, iters.length)),
    taskHash: "",
    dir: "",
    host: "",
    startedAt: START,
    updatedAt: START,
    elapsedMs: 0,
    state: "running",
    unable: [],
    baseline: startedIteration(0),
    iterations: iterationsOf(iters),
    pins: {},
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
  };
  return {
    source,
    place: { workspace: group, agent: model },
    task,
    run,
    solved: success || passed !== -1,
    whole: passed !== -1 || !CUT_SHORT.test(end),
    givenUp: false,
  };
}
