// Calls the methods of a strategy object in the order it expects. Older shapes may keep state between calls, so after
// a resume they are restarted and replay the earlier iterations, which makes their decision a pure function of the run.
import type { Iteration, Judged, Run } from "#spec/run";
import { DECISION_METHODS, isMethod, type Method, makeStrategy, type StrategyObject } from "./load-module.ts";
import type { ModuleSource } from "./worker-thread.ts";

export interface StrategyCaller {
  decide(run: Run): Promise<unknown>;
  end(): Promise<void>;
}

interface Step {
  readonly run: Run;
  readonly answer: unknown;
}

export async function createCaller(exported: unknown, source: ModuleSource): Promise<StrategyCaller> {
  let strategy = await start(exported, source);
  let last: Step | undefined;

  const replay = async (run: Run): Promise<unknown> => {
    const follows = last?.run.id === run.id && last.run.iterations.length + 1 === run.iterations.length;
    if (last && !follows) {
      strategy = await start(exported, source, strategy);
      last = undefined;
    }
    for (let count = (last?.run.iterations.length ?? 0) + 1; count < run.iterations.length; count += 1) {
      last = await step(strategy, runUpTo(run, count), last);
    }
    last = await step(strategy, run, last);
    return last.answer;
  };

  return {
    async decide(run) {
      if (decidingMethod(strategy) !== "decide") return replay(run);
      last = { run, answer: await call(strategy, "decide", run) };
      return last.answer;
    },
    async end() {
      if (last) await end(strategy, last);
    },
  };
}

/** Starts the strategy. An exported object cannot be constructed again, so it is reset. */
async function start(
  exported: unknown,
  source: ModuleSource,
  before?: StrategyObject,
): Promise<StrategyObject> {
  const strategy = await makeStrategy(exported, source);
  if (strategy === before) await call(strategy, "reset");
  await call(strategy, "initialize", source.config);
  return strategy;
}

async function step(strategy: StrategyObject, run: Run, before: Step | undefined): Promise<Step> {
  const deciding = decidingMethod(strategy);
  const view = deciding === "onIterationComplete" ? eventOf(run) : stateOf(run);
  if (!before) await call(strategy, "onLoopStart", view);
  const answer = hasFiveCallbacks(strategy)
    ? await callFiveCallbacks(strategy, run)
    : await callOnce(strategy, deciding, view);
  await call(strategy, "onIterationEnd", view, answer);
  if (deciding !== "onIterationComplete") await call(strategy, "onIterationComplete", view, answer);
  return { run, answer };
}

async function callOnce(strategy: StrategyObject, deciding: string, view: unknown): Promise<unknown> {
  await call(strategy, "onIterationStart", view);
  return call(strategy, deciding, view);
}

/** The oldest shape takes the iteration number, counted from 0, as its first argument. */
async function callFiveCallbacks(strategy: StrategyObject, run: Run): Promise<unknown> {
  const state = stateOf(run);
  const { iteration } = eventOf(run);
  await call(strategy, "onIterationStart", iteration, state);
  await call(strategy, "onAgentComplete", iteration, state.agentResult);
  if (state.verificationReport) {
    await call(strategy, "onVerificationComplete", iteration, state.verificationReport);
  }
  return call(strategy, "shouldContinue", iteration, state);
}

async function end(strategy: StrategyObject, { run, answer }: Step): Promise<void> {
  const event = endOf(run, isStop(answer));
  if (decidingMethod(strategy) === "shouldContinue") await call(strategy, "onLoopEnd", stateOf(run), answer);
  else await call(strategy, "onLoopEnd", event);
  await call(strategy, "onRunComplete", stateOf(run), answer);
  await call(strategy, "onLoopComplete", event.finalResult);
}

function isStop(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return answer === false;
  const { continue: goesOn, shouldContinue } = answer as StrategyObject;
  return (goesOn ?? shouldContinue) === false;
}

function hasFiveCallbacks(strategy: StrategyObject): boolean {
  if (decidingMethod(strategy) !== "shouldContinue") return false;
  return isMethod(strategy.onAgentComplete) || isMethod(strategy.onVerificationComplete);
}

function decidingMethod(strategy: StrategyObject): (typeof DECISION_METHODS)[number] {
  return DECISION_METHODS.find((name) => isMethod(strategy[name])) ?? "decide";
}

/** Calls a lifecycle method if the strategy has it. */
async function call(strategy: StrategyObject, name: string, ...args: unknown[]): Promise<unknown> {
  const member = strategy[name];
  return isMethod(member) ? Reflect.apply(member as Method, strategy, args) : undefined;
}

/** The run as it was after its first `count` iterations. */
function runUpTo(run: Run, count: number): Run {
  const next = run.iterations[count];
  if (!next) return run;
  return { ...run, iterations: run.iterations.slice(0, count), elapsedMs: next.startedMs };
}

/** Argument of `onIterationComplete(event)`, which counts iterations from 0. */
function eventOf(run: Run) {
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
function stateOf(run: Run) {
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
function endOf(run: Run, stopped: boolean) {
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
