// Creates a strategy as named on the command line, ready to replay run after run.
import path from "node:path";
import type { Registries } from "#catalog/built-ins";
import type { PartContext } from "#options/part";
import { UsageError } from "#spec/errors";
import type { Strategy } from "#spec/strategy";
import type { Component } from "#spec/task";
import { transitionsOf } from "#strategies/adaptive/adaptive";
import { Lessons } from "#strategies/adaptive/learned";
import { isObject } from "#text/json";
import type { Sequence } from "./sequence.ts";

export interface Contender {
  readonly name: string;
  /** Whether its decisions depend on earlier runs, and so on their order. */
  readonly learns: boolean;
  /** Called once per order, before its first run. */
  start(): Pass;
}

/** One pass of a strategy over the runs. */
export interface Pass {
  strategyFor(sequence: Sequence): Promise<Strategy>;
  /** Reports how many iterations the strategy allowed the run. */
  ended(sequence: Sequence, used: number): void;
}

const EXAMPLE = `--strategy 'adaptive:{"value":"thrifty"}'`;

function parseOptions(text: string, json: string): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(json);
    if (isObject(options)) return options as Record<string, unknown>;
  } catch {
    // Not an object: throw below.
  }
  throw new UsageError(
    `--strategy ${text}: expected a name, or a name and options as JSON, for example ${EXAMPLE}`,
  );
}

/** Parses `name` or `name:{…}`; a module path is relative to `dir`. */
export function componentOf(text: string, dir: string): Component {
  const colon = text.indexOf(":");
  const type = colon === -1 ? text : text.slice(0, colon);
  const { type: other, ...options } = colon === -1 ? {} : parseOptions(text, text.slice(colon + 1));
  if (other !== undefined && other !== type)
    throw new UsageError(
      `--strategy ${text}: the type is the name before the colon; remove "type" from the options`,
    );
  if (typeof options.module === "string") options.module = path.resolve(dir, options.module);
  return { ...options, type };
}

type Make = (component: Component) => Promise<Strategy>;

/** Learns only from the iterations it allowed itself, per place, in the order of the runs. */
function startLearning(component: Component, make: Make): Pass {
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

/** Replaces the recorded iteration limit when the strategy has its own: the recorded one belongs to another strategy. */
function withOwnLimit(iterations: number | undefined, strategy: Strategy): Strategy {
  if (iterations === undefined) return strategy;
  return ({ task, ...run }) =>
    strategy({ ...run, task: { ...task, limits: { ...task.limits, iterations } } });
}

/** What every strategy of a backtest is made with. */
export interface ContenderSetup {
  /** Base folder for strategy modules. */
  readonly dir: string;
  readonly registry: Registries["strategies"];
  readonly onClose: PartContext["onClose"];
}

/** Creates the strategy once up front, so that errors in it show before any run is read. */
export async function createContender(name: string, setup: ContenderSetup): Promise<Contender> {
  const { dir, registry, onClose } = setup;
  const component = componentOf(name, dir);
  const context: PartContext = {
    name: "strategy",
    onClose,
    commands: [],
    prices: {},
    agent: () => Promise.reject(new UsageError(`strategy ${name}: there is no agent in a backtest`)),
  };
  const { iterations, learnsFrom } = registry.traits(component.type);
  const make = async (variant: Component) =>
    withOwnLimit(iterations?.(variant), await registry.create(variant, context));
  const strategy = await make(component);
  const learns = component.weights === undefined && learnsFrom?.(component) !== undefined;
  if (learns) return { name, learns: true, start: () => startLearning(component, make) };
  const start = () => ({ strategyFor: async () => strategy, ended: () => {} });
  return { name, learns: false, start };
}
