// Contract of a part (agent, gate, strategy or memory): one definition holds its type, option schema, factory, SDK helper,
// summary and traits. `catalog/built-ins.ts` lists the definitions; everything else is derived from them.
import type { z } from "zod";
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component, Task } from "#spec/task";

/** Context that a registry passes to the factory of a part. */
export interface PartContext {
  /** Name of the gate. */
  readonly name: string;
  /** Registers a callback that runs when the process closes the parts of the run. */
  readonly onClose: (close: () => Promise<void>) => void;
  /** The shell commands of the task's gates. */
  readonly commands: readonly string[];
  readonly prices: Task["prices"];
  /** Creates an agent for a part that needs one. Defaults to the task's first agent. */
  readonly agent: (component?: Component) => Promise<Agent>;
}

/** A policy that has no effect with a type of gate. */
export interface IgnoredPolicy {
  readonly key: "condition" | "repeat";
  /** Only this value has no effect. By default, none has. */
  readonly value?: string;
  readonly reason: string;
}

export interface GateTraits {
  /** Whether the task's `cleanRoom` applies to the gate. Defaults to true. */
  readonly cleanRoom?: boolean;
  /** Names of the people who may answer; empty when anybody may. Absent when no person decides the gate. */
  readonly approvers?: (gate: Component) => readonly string[];
  readonly ignoredPolicies?: readonly IgnoredPolicy[];
  /** Globs of files that the verdict depends on, and why. They are protected by default. */
  readonly steeringFiles?: readonly { readonly pattern: string; readonly reason: string }[];
}

/** An option that works only with a gate of one type. */
export interface NeededGate {
  readonly option: string;
  /** Only this entry of the option's list needs the gate. By default, the option itself does. */
  readonly value?: string;
  /** Type of the gate. */
  readonly type: string;
}

export interface StrategyTraits {
  /** Whether only gates can end the run successfully. Defaults to false: the agent, a person or user code can. */
  readonly needsGates?: (strategy: Component) => boolean;
  readonly neededGates?: readonly NeededGate[];
  /** Number of iterations that the options grant. It becomes the task's limit. */
  readonly iterations?: (strategy: Component) => number | undefined;
  /** Number of training examples from which the strategy uses learned weights; undefined when it never does. */
  readonly learnsFrom?: (strategy: Component) => number | undefined;
  /** Adds to the options what must not change while a run lasts, such as the hash of a module. */
  readonly pin?: (strategy: Component) => Promise<Component>;
}

/** A part described as plain data, which can be stored, hashed and resumed in another process. */
export type Described<Type extends string, Options> = { readonly type: Type } & Options;

export interface Definition<Port, Traits, Type extends string = string, Helper = unknown> {
  readonly type: Type;
  /** One sentence for help texts and documentation. */
  readonly summary: string;
  /** Strict schema of the options besides `type`. */
  readonly options: z.ZodType;
  readonly traits?: Traits;
  /** Describes the part as plain data, for the SDK. */
  readonly helper: Helper;
  create(options: unknown, context: PartContext): Port | Promise<Port>;
}

/** The options as a caller writes them: arrays and objects are readonly. */
type ReadonlyInput<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyInput<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyInput<Exclude<T[Key], undefined>> }
    : T;

/** Options of a schema. A schema without keys has an index signature, which would forbid `type`. */
type OptionsOf<Schema extends z.ZodType> = string extends keyof z.input<Schema>
  ? object
  : ReadonlyInput<z.input<Schema>>;

/** Helper of a part without one of its own: takes the options of the schema. */
type DerivedHelper<Type extends string, Options> =
  Partial<Options> extends Options
    ? (options?: Options) => Described<Type, Options>
    : (options: Options) => Described<Type, Options>;

interface Blueprint<Port, Traits, Type extends string, Schema extends z.ZodType, Helper> {
  readonly type: Type;
  readonly summary: string;
  readonly options: Schema;
  readonly traits?: Traits;
  /** Only for a signature that the schema does not give, such as positional parameters. */
  readonly helper?: Helper;
  create(options: z.output<Schema>, context: PartContext): Port | Promise<Port>;
}

function defineFor<Port, Traits>() {
  return <
    const Type extends string,
    Schema extends z.ZodType,
    Helper = DerivedHelper<Type, OptionsOf<Schema>>,
  >(
    blueprint: Blueprint<Port, Traits, Type, Schema, Helper>,
  ): Definition<Port, Traits, Type, Helper> => {
    const derived = (options?: object) => ({ type: blueprint.type, ...options });
    const helper = blueprint.helper ?? (derived as Helper);
    return { ...(blueprint as Definition<Port, Traits, Type>), helper };
  };
}

export const defineAgent = defineFor<Agent, object>();
export const defineGate = defineFor<Gate, GateTraits>();
export const defineStrategy = defineFor<Strategy, StrategyTraits>();
export const defineMemory = defineFor<Memory, object>();

/** SDK helper of a command, as an agent or a gate: a shell command, or program and arguments. */
export function describeCommand<Options extends object>(
  program: string | readonly string[],
  options?: Options,
) {
  return { type: "command" as const, command: program as string, ...(options as Options) };
}
