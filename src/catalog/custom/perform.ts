// Calls a strategy object's methods in the order it expects. Older shapes may keep state between calls: they are
// started anew and shown the earlier iterations whenever they have not seen them, which makes them pure again.
import type { Run } from "#spec/run";
import { type Custom, DECIDING, isMethod, type Method, makeStrategy } from "./make-strategy.ts";
import type { Order } from "./messages.ts";
import { endOf, eventOf, stateOf, upTo } from "./views.ts";

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
      last = await step(strategy, upTo(run, count), last);
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

/** An exported object cannot be made twice, so it is asked to forget. */
async function start(exported: unknown, order: Order, before?: Custom): Promise<Custom> {
  const strategy = await makeStrategy(exported, order.config, order.module);
  if (strategy === before) await call(strategy, "reset");
  await call(strategy, "initialize", order.config);
  return strategy;
}

async function step(strategy: Custom, run: Run, before: Step | undefined): Promise<Step> {
  const deciding = decidingMethod(strategy);
  const view = deciding === "onIterationComplete" ? eventOf(run) : stateOf(run);
  if (!before) await call(strategy, "onLoopStart", view);
  const answer = hasFiveCallbacks(strategy)
    ? await fiveCallbacks(strategy, run)
    : await oneQuestion(strategy, deciding, view);
  await call(strategy, "onIterationEnd", view, answer);
  if (deciding !== "onIterationComplete") await call(strategy, "onIterationComplete", view, answer);
  return { run, answer };
}

async function oneQuestion(strategy: Custom, deciding: string, view: unknown): Promise<unknown> {
  await call(strategy, "onIterationStart", view);
  return call(strategy, deciding, view);
}

/** The oldest shape takes the number of the iteration, from 0, before anything else. */
async function fiveCallbacks(strategy: Custom, run: Run): Promise<unknown> {
  const state = stateOf(run);
  const { iteration } = eventOf(run);
  await call(strategy, "onIterationStart", iteration, state);
  await call(strategy, "onAgentComplete", iteration, state.agentResult);
  if (state.verificationReport) {
    await call(strategy, "onVerificationComplete", iteration, state.verificationReport);
  }
  return call(strategy, "shouldContinue", iteration, state);
}

async function end(strategy: Custom, { run, answer }: Step): Promise<void> {
  const event = endOf(run, stops(answer));
  if (decidingMethod(strategy) === "shouldContinue") await call(strategy, "onLoopEnd", stateOf(run), answer);
  else await call(strategy, "onLoopEnd", event);
  await call(strategy, "onRunComplete", stateOf(run), answer);
  await call(strategy, "onLoopComplete", event.finalResult);
}

function stops(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return answer === false;
  const { continue: goesOn, shouldContinue } = answer as Custom;
  return (goesOn ?? shouldContinue) === false;
}

function hasFiveCallbacks(strategy: Custom): boolean {
  if (decidingMethod(strategy) !== "shouldContinue") return false;
  return isMethod(strategy.onAgentComplete) || isMethod(strategy.onVerificationComplete);
}

function decidingMethod(strategy: Custom): (typeof DECIDING)[number] {
  return DECIDING.find((name) => isMethod(strategy[name])) ?? "decide";
}

/** Every lifecycle method may be absent. */
async function call(strategy: Custom, name: string, ...args: unknown[]): Promise<unknown> {
  const member = strategy[name];
  return isMethod(member) ? Reflect.apply(member as Method, strategy, args) : undefined;
}
