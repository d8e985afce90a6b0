// Runs a user's strategy module in a worker thread with a timeout, and validates every answer.

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { defineStrategy } from "#options/part";
import { text } from "#options/values";
import type { Decision } from "#spec/decision";
import { ExtensionError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { pathInside } from "#system/inside";
import { head, plain } from "#text/plain-text";
import { validateDecision } from "./validate-decision.ts";
import { type Reply, startThread, type Thread } from "./worker-thread.ts";

export interface CustomOptions {
  /** Absolute path. */
  readonly module: string;
  /** Defaults to "default". */
  readonly export?: string;
  /** Passed to the class, the factory, or `initialize`. */
  readonly config?: unknown;
  /** Timeout for loading and for each decision. Defaults to 30 s. */
  readonly timeoutMs?: number;
  /** SHA-256 of the module's bytes, in hex, pinned when the run started. */
  readonly hash?: string;
}

export interface CustomStrategy {
  readonly strategy: Strategy;
  /** Calls the strategy's end callbacks, if it has any, and terminates its thread. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 1_000;
const LONGEST_PROBLEM = 2_000;

export async function customStrategy(options: CustomOptions): Promise<CustomStrategy> {
  const who = nameOf(options.module);
  await verifyPin(options, who);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const thread = startThread({
    module: options.module,
    exportName: options.export ?? "default",
    config: options.config,
  });
  const loaded = await thread.loaded(timeoutMs, `did not load within ${seconds(timeoutMs)}`);
  if (!loaded.ok) {
    await thread.close();
    throw extensionError(who, loaded.problem);
  }
  return {
    strategy: serialize((run) => decide({ thread, who, timeoutMs }, run)),
    close: () => close(thread),
  };
}

async function verifyPin({ module, hash }: CustomOptions, who: string): Promise<void> {
  const actual = await hashModule(module);
  if (hash === undefined || hash === actual) return;
  const change = `expected sha256 ${hash.slice(0, 12)}…, found ${actual.slice(0, 12)}…`;
  throw new ExtensionError(
    `${who}: changed since the run started (${change}); restore it or start a new run`,
  );
}

interface LoadedModule {
  readonly thread: Thread;
  /** Name of the strategy in messages. */
  readonly who: string;
  readonly timeoutMs: number;
}

async function decide({ thread, who, timeoutMs }: LoadedModule, run: Run): Promise<Decision> {
  const iteration = run.iterations.at(-1)?.number ?? 0;
  const fail = (problem: string) => extensionError(who, `${problem} (iteration ${iteration})`);
  const late = `did not decide within ${seconds(timeoutMs)}`;
  const reply: Reply = await thread.ask({ type: "decide", run }, timeoutMs, late);
  if (!reply.ok) throw fail(reply.problem);
  const checked = validateDecision(reply.value, who);
  if (!checked.ok) throw fail(checked.problem);
  const { rollbackTo } = checked.decision;
  if (rollbackTo !== undefined && rollbackTo > iteration) {
    throw fail(`rollbackTo is ${rollbackTo}, but the last iteration is ${iteration}`);
  }
  return checked.decision;
}

/** Queues calls, because the thread answers one question at a time. */
function serialize<Input, Output>(
  work: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  let previous: Promise<unknown> = Promise.resolve();
  return (input) => {
    const current = previous.then(() => work(input));
    previous = current.catch(() => undefined);
    return current;
  };
}

async function close(thread: Thread): Promise<void> {
  await thread.ask({ type: "end" }, END_TIMEOUT_MS, "did not end");
  await thread.close();
}

function extensionError(who: string, problem: string): ExtensionError {
  return new ExtensionError(`${who}: ${head(plain(problem), LONGEST_PROBLEM)}`);
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}

/** Names a custom strategy in messages by its path relative to the current folder. */
function nameOf(module: string): string {
  const relative = pathInside(process.cwd(), module);
  return `custom strategy ${relative === undefined ? module : `./${relative}`}`;
}

/** SHA-256 of the module's bytes, in hex. It does not cover files that the module imports. */
export async function hashModule(path: string): Promise<string> {
  // stat before read: reading a FIFO would hang.
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) throw unreadable(path, stats);
  if (!stats.isFile()) throw new ExtensionError(`${nameOf(path)}: is not a file (${path})`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return createHash("sha256").update(bytes).digest("hex");
}

function unreadable(path: string, error: NodeJS.ErrnoException): ExtensionError {
  const problem = error.code === "ENOENT" ? "not found" : `cannot be read (${error.code})`;
  return new ExtensionError(`${nameOf(path)}: ${problem}; expected a .js, .mjs or .ts file at ${path}`);
}

export const customStrategyPart = defineStrategy({
  type: "custom",
  summary: "Asks a module of your own.",
  options: z.strictObject({
    module: text,
    export: text.optional(),
    config: z.unknown().optional(),
    timeout: duration.optional(),
    hash: text.optional(),
  }),
  traits: {
    // The module is code, so the run goes on with the same bytes only.
    pin: async (strategy) =>
      typeof strategy.module === "string"
        ? { ...strategy, hash: await hashModule(strategy.module) }
        : strategy,
  },
  helper: (module: string, options: { readonly export?: string; readonly config?: unknown } = {}) => ({
    type: "custom" as const,
    module,
    ...options,
  }),
  create: async ({ timeout, ...options }, { onClose }) => {
    const loaded = await customStrategy(dropUndefined({ ...options, timeoutMs: timeout }));
    onClose(loaded.close);
    return loaded.strategy;
  },
});
