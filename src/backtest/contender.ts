// A strategy as it is named on the command line, ready to be tried on run after run.
import path from "node:path";
import type { PartContext } from "#catalog/part-context";
import type { Registry } from "#catalog/registry";
import { hybridNumbers, strategyIterations } from "#rules/iteration-limit";
import { UsageError } from "#spec/errors";
import type { Strategy } from "#spec/strategy";
import type { Component } from "#spec/task";
import { transitionsOf } from "#strategies/adaptive/adaptive";
import { Lessons } from "#strategies/adaptive/learned";
import type { Sequence } from "./sequence.ts";

export interface Contender {
  readonly name: string;
  /** Its answers depend on the runs before, and so on their order. */
  readonly learns: boolean;
  /** Once for each order, before its first run. */
  start(): Try;
}

/** One strategy on its way through the runs. */
export interface Try {
  strategyFor(sequence: Sequence): Promise<Strategy>;
  /** It let the run have so many iterations. */
  ended(sequence: Sequence, used: number): void;
}

const EXAMPLE = `--strategy 'adaptive:{"value":"thrifty"}'`;

function optionsIn(text: string, json: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(json);
    if (typeof read === "object" && read !== null && !Array.isArray(read))
      return read as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new UsageError(`--strategy ${text}: expected a name, or a name and options as JSON, like ${EXAMPLE}`);
}

/** `name` or `name:{…}`; a module is a path from `dir` on. */
export function componentOf(text: string, dir: string): Component {
  const colon = text.indexOf(":");
  const type = colon === -1 ? text : text.slice(0, colon);
  const { type: other, ...options } = colon === -1 ? {} : optionsIn(text, text.slice(colon + 1));
  if (other !== undefined && other !== type)
    throw new UsageError(`--strategy ${text}: the type stands before the colon; leave out "type"`);
  if (typeof options.module === "string") options.module = path.resolve(dir, options.module);
  return { ...options, type };
}

type Make = (component: Component) => Promise<Strategy>;

/** Learns as it would have: from what it let run itself, place by place, in the order of the runs. */
function learning(component: Component, make: Make): Try {
  const sources = new Map<string, Lessons>();
  const lessonsOf = (source: string): Lessons => {
    const lessons = sources.get(source) ?? new Lessons();
    sources.set(source, lessons);
    return lessons;
  };
  return {
    strategyFor: ({ source, place }) => make({ ...component, weights: lessonsOf(source).weightsFor(place) }),
    ended: ({ source, place, run }, used) => {
      const transitions = transitionsOf({ ...run, iterations: run.iterations.slice(0, used) });
      if (transitions.length > 0) lessonsOf(source).tell(place, transitions);
    },
  };
}

/** `adaptive`, and `hybrid` without numbers, decide by what earlier runs taught. */
function learns(component: Component): boolean {
  if (component.weights !== undefined) return false;
  if (component.type === "hybrid") return hybridNumbers(component) === undefined;
  return component.type === "adaptive";
}

/** The recorded limit is of the recorded strategy: one that names a number of its own is tried with that. */
function withOwnLimit(component: Component, strategy: Strategy): Strategy {
  const iterations = strategyIterations(component);
  if (iterations === undefined) return strategy;
  return ({ task, ...run }) =>
    strategy({ ...run, task: { ...task, limits: { ...task.limits, iterations } } });
}

/** Made once, so that what is wrong with it is said before anything is read. */
export async function contender(
  name: string,
  component: Component,
  registry: Registry<Strategy, PartContext>,
  onClose: PartContext["onClose"],
): Promise<Contender> {
  const context: PartContext = {
    name: "strategy",
    onClose,
    commands: [],
    prices: {},
    agent: () => Promise.reject(new UsageError(`strategy ${name}: there is no agent in a backtest`)),
  };
  const make = async (wanted: Component) => withOwnLimit(wanted, await registry.create(wanted, context));
  const strategy = await make(component);
  if (learns(component)) return { name, learns: true, start: () => learning(component, make) };
  const start = () => ({ strategyFor: async () => strategy, ended: () => {} });
  return { name, learns: false, start };
}
