// SDK helpers that describe the parts of a task as plain data, which can be stored, hashed and resumed in another process.

import type { ScriptedOptions } from "#agents/scripted-agent";
import type { ConvergenceOptions } from "#gates/convergence";
import type { CapturedOptions } from "#memory/captured";
import type { StructuredOptions } from "#memory/structured";
import type { Component } from "#spec/task";
import type { FixedOptions } from "#strategies/fixed";
import type { HybridOptions } from "#strategies/hybrid";
import type { RalphOptions } from "#strategies/ralph";

type Described<Type extends string, Options> = { readonly type: Type } & Options;
type Program = string | readonly string[];

/** Describes a shell command (or program and arguments) as an agent or a gate; options as in the task file. */
export function command<Options extends object>(program: Program, options?: Options) {
  return { type: "command" as const, command: program as string, ...(options as Options) };
}

/** Describes the levels gate; options as in the task file. */
export const levels = <Options extends object>(options: Options) => ({ type: "levels" as const, ...options });

export const scripted = (iterations: ScriptedOptions["iterations"]) => ({
  type: "scripted" as const,
  iterations,
});
/** Describes a gate that waits for people to approve. */
export const approval = (
  options: {
    readonly approvers?: readonly string[];
    readonly minimum?: number;
    readonly message?: string;
    readonly timeout?: string | number;
  } = {},
) => ({ type: "approval" as const, ...options });

/** Describes a gate that passes when the files stop changing. */
export const convergence = (
  options: ConvergenceOptions = {},
): Described<"convergence", ConvergenceOptions> => ({
  type: "convergence",
  ...options,
});

/** Describes a gate where a second agent reviews the change. */
export const judge = (
  agent: string | Component,
  options: {
    readonly criteria?: string;
    readonly minScore?: number;
    readonly timeout?: string | number;
    readonly diffChars?: number;
  } = {},
) => ({ type: "judge" as const, agent, ...options });

export const fixed = (iterations: number): Described<"fixed", FixedOptions> => ({
  type: "fixed",
  iterations,
});
export const hybrid = (options: HybridOptions = {}): Described<"hybrid", HybridOptions> => ({
  type: "hybrid",
  ...options,
});
export const ralph = (options: RalphOptions = {}): Described<"ralph", RalphOptions> => ({
  type: "ralph",
  ...options,
});
export const manual = () => ({ type: "manual" as const });
export const captured = (options: CapturedOptions = {}): Described<"captured", CapturedOptions> => ({
  type: "captured",
  ...options,
});

export const structured = (options: StructuredOptions = {}): Described<"structured", StructuredOptions> => ({
  type: "structured",
  ...options,
});

/** The summarizer: an agent, a command, or an OpenAI-compatible endpoint. */
export type SummarizedBy =
  | { readonly agent: string | Component }
  | { readonly command: Program }
  | { readonly url: string; readonly model: string; readonly keyEnv?: string };

export interface SummarizedMemory {
  /** Defaults to the task's first agent. */
  readonly by?: SummarizedBy;
  readonly timeout?: string | number;
  readonly entries?: number;
  readonly chars?: number;
}

export const summarized = (options: SummarizedMemory = {}): Described<"summarized", SummarizedMemory> => ({
  type: "summarized",
  ...options,
});

/** Describes the hybrid memory; `hybrid` describes the strategy. */
export const hybridMemory = (options: SummarizedMemory & { readonly outputChars?: number } = {}) => ({
  type: "hybrid" as const,
  ...options,
});

/** Describes a strategy from a user's module. */
export const custom = (
  module: string,
  options: { readonly export?: string; readonly config?: unknown } = {},
) => ({
  type: "custom" as const,
  module,
  ...options,
});
