// Converts a run to the arguments that older strategy shapes expect. Pure.
import type { Iteration, Judged, Run } from "#spec/run";

/** The run as it was after its first `count` iterations. */
export function runUpTo(run: Run, count: number): Run {
  const next = run.iterations[count];
  if (!next) return run;
  return { ...run, iterations: run.iterations.slice(0, count), elapsedMs: next.startedMs };
}

/** Argument of `onIterationComplete(event)`, which counts iterations from 0. */
export function eventOf(run: Run) {
  const { current, previous } = split(run);
  return {
    iteration: run.iterations.length - 1,
    totalIterations: run.iterations.length,
    elapsedMs: run.elapsedMs,
    agentResult: agentResultOf(current),
    agentSuccess: current.agent?.ok ?? false,
    verificationReport: reportOf(run, current),
    verificationPassed: hasPassed(run, current),
    previousIterations: previous.map((iteration, index) => ({
      iteration: index,
      agentSuccess: iteration.agent?.ok ?? false,
      verificationPassed: hasPassed(run, iteration),
      durationMs: (run.iterations[index + 1]?.startedMs ?? run.elapsedMs) - iteration.startedMs,
      tokensUsed: tokensOf(iteration)?.total ?? null,
    })),
    maxIterations: run.task.limits.iterations,
    maxTimeMs: run.task.limits.timeMs ?? null,
    runId: run.id,
    workOrderId: run.id,
  };
}

/** Argument of `shouldContinue(state)`, which counts iterations from 1. Includes the fields of older contexts. */
export function stateOf(run: Run) {
  const { current, previous } = split(run);
  const { agentResult, verificationReport, maxIterations, maxTimeMs, runId, workOrderId } = eventOf(run);
  return {
    iteration: run.iterations.length,
    elapsed: run.elapsedMs,
    gateResults: current.verdicts.map(gateResultOf),
    history: previous.map((iteration, index) => ({
      iteration: index + 1,
      timestamp: new Date(iteration.startedAt),
      gateResults: iteration.verdicts.map(gateResultOf),
      decision: iteration.decision,
      snapshotHash: iteration.snapshot?.tree,
    })),
    snapshot: current.snapshot,
    agentOutput: current.agent?.message,
    agentResult,
    verificationReport,
    maxIterations,
    maxTimeMs,
    runId,
    workOrderId,
    workspace: run.dir,
  };
}

/** Argument of `onLoopEnd(event)`, derived from the last run that the strategy saw and its own answer. */
export function endOf(run: Run, stopped: boolean) {
  const { iterations, timeMs } = run.task.limits;
  const iterationLimit = run.iterations.length >= iterations ? "max_iterations" : "error";
  const limitReached = timeMs !== undefined && run.elapsedMs >= timeMs ? "timeout" : iterationLimit;
  const passed = hasPassed(run, split(run).current);
  return {
    runId: run.id,
    totalIterations: run.iterations.length,
    finalResult: passed ? "success" : stopped ? "strategy_stop" : limitReached,
    elapsedMs: run.elapsedMs,
  };
}

function split(run: Run): { current: Iteration; previous: readonly Iteration[] } {
  return { current: run.iterations.at(-1) ?? run.baseline, previous: run.iterations.slice(0, -1) };
}

/** Null when there are no verdicts. A skipped gate counts neither as passed nor as failed. */
function hasPassed(run: Run, { verdicts }: Iteration): boolean | null {
  if (verdicts.length === 0) return null;
  const required = run.task.until.length > 0 ? run.task.until : run.task.gates.map(({ name }) => name);
  const statuses = required.map((name) => verdicts.find(({ gate }) => gate === name)?.verdict.status);
  return (
    statuses.includes("passed") && statuses.every((status) => status === "passed" || status === "skipped")
  );
}

function gateResultOf({ gate, verdict }: Judged) {
  const { status, score, failures } = verdict;
  return { name: gate, passed: status === "passed", status, score, failures };
}

/** Reports each gate as a level and each of its failures as a check of that level. */
function reportOf(run: Run, current: Iteration) {
  const passed = hasPassed(run, current);
  if (passed === null) return null;
  const levels = current.verdicts.map(({ gate, verdict }) => {
    const own = { name: gate, passed: verdict.status === "passed", output: verdict.summary };
    const failures = verdict.failures.map(({ id, message }) => ({
      name: id ?? gate,
      passed: false,
      output: message,
    }));
    return [gate, { passed: own.passed, checks: failures.length > 0 ? failures : [own] }] as const;
  });
  return { passed, overall: { passed }, levels: Object.fromEntries(levels) };
}

function agentResultOf(iteration: Iteration) {
  const { agent } = iteration;
  return {
    ...agent,
    success: agent?.ok ?? false,
    exitCode: agent?.exitCode ?? null,
    output: agent?.message ?? "",
    tokensUsed: tokensOf(iteration),
  };
}

function tokensOf({ agent }: Iteration): { input: number; output: number; total: number } | null {
  const { inputTokens, outputTokens } = agent?.usage ?? {};
  if (inputTokens === undefined && outputTokens === undefined) return null;
  const [input, output] = [inputTokens ?? 0, outputTokens ?? 0];
  return { input, output, total: input + output };
}
