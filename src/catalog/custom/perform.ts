// Calls the methods of a strategy object in the order it expects. Older shapes may keep state between calls, so after
// a resume they are restarted and replay the earlier iterations, which makes their decision a pure function of the run.
import type { Run } from "#spec/run";
import {
  DECISION_METHODS,
  isMethod,
  type Method,
  makeStrategy,
  type StrategyObject,
} from "./make-strategy.ts";
import type { Order } from "./messages.ts";
import { endOf, eventOf, runUpTo, stateOf } from "./views.ts";

export interface Performer {
  decide(run: Run): Promise<unknown>;
  end(): Promise<void>;
}

interface Step {
  readonly run: Run;
  readonly answer: unknown;
}

export async function perform(exported: unknown, order: Order): Promise<Performer> {
  let strategy = await start(exported, order);
  let last: Step | undefined;

  const replay = async (run: Run): Promise<unknown> => {
    const follows = last?.run.id === run.id && last.run.iterations.length + 1 === run.iterations.length;
    if (last && !follows) {
      strategy = await start(exported, order, strategy);
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
async function start(exported: unknown, order: Order, before?: StrategyObject): Promise<StrategyObject> {
  const strategy = await makeStrategy(exported, order.config, order.module);
  if (strategy === before) await call(strategy, "reset");
  await call(strategy, "initialize", order.config);
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
