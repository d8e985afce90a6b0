// The run as the older shapes of strategy expect to see it. Pure.
import type { Iteration, Judged, Run } from "#spec/run";

/** The run as it was when its n-th iteration had been judged. */
export function upTo(run: Run, count: number): Run {
  const next = run.iterations[count];
  if (!next) return run;
  return { ...run, iterations: run.iterations.slice(0, count), elapsedMs: next.startedMs };
}

/** For `onIterationComplete(event)`, which counts from 0. */
export function eventOf(run: Run) {
  const { current, previous } = split(run);
  return {
    iteration: run.iterations.length - 1,
    totalIterations: run.iterations.length,
    elapsedMs: run.elapsedMs,
    agentResult: agentResultOf(current),
    agentSuccess: current.agent?.ok ?? false,
    verificationReport: reportOf(run, current),
    verificationPassed: passedIn(run, current),
    previousIterations: previous.map((iteration, index) => ({
      iteration: index,
      agentSuccess: iteration.agent?.ok ?? false,
      verificationPassed: passedIn(run, iteration),
      durationMs: (run.iterations[index + 1]?.startedMs ?? run.elapsedMs) - iteration.startedMs,
      tokensUsed: tokensOf(iteration)?.total ?? null,
    })),
    maxIterations: run.task.limits.iterations,
    maxTimeMs: run.task.limits.timeMs ?? null,
    runId: run.id,
    workOrderId: run.id,
  };
}

/** For `shouldContinue(state)`, which counts from 1. Also carries what older contexts had beside the state. */
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

/** For `onLoopEnd(event)`, as far as the strategy's last view of the run and its own answer tell. */
export function endOf(run: Run, stopped: boolean) {
  const { iterations, timeMs } = run.task.limits;
  const limit = run.iterations.length >= iterations ? "max_iterations" : "error";
  const ended = timeMs !== undefined && run.elapsedMs >= timeMs ? "timeout" : limit;
  const passed = passedIn(run, split(run).current);
  return {
    runId: run.id,
    totalIterations: run.iterations.length,
    finalResult: passed ? "success" : stopped ? "strategy_stop" : ended,
    elapsedMs: run.elapsedMs,
  };
}

function split(run: Run): { current: Iteration; previous: readonly Iteration[] } {
  return { current: run.iterations.at(-1) ?? run.baseline, previous: run.iterations.slice(0, -1) };
}

/** Null when nothing was judged. A gate that was skipped is neither for nor against. */
function passedIn(run: Run, { verdicts }: Iteration): boolean | null {
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

/** Every gate is a level; its failures are the checks of that level. */
function reportOf(run: Run, current: Iteration) {
  const passed = passedIn(run, current);
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
