// Runs a user's strategy module in a worker thread with a timeout, and validates every answer.
import { ExtensionError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { head, plain } from "#text/plain-text";
import { hashModule } from "./hash-module.ts";
import type { Reply } from "./messages.ts";
import { nameOf } from "./name-of.ts";
import { startThread, type Thread } from "./thread.ts";
import { toDecision } from "./to-decision.ts";

export { hashModule } from "./hash-module.ts";

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
  return { strategy: serialize((run) => decide(thread, run, who, timeoutMs)), close: () => close(thread) };
}

async function verifyPin({ module, hash }: CustomOptions, who: string): Promise<void> {
  const actual = await hashModule(module);
  if (hash === undefined || hash === actual) return;
  const change = `expected sha256 ${hash.slice(0, 12)}…, found ${actual.slice(0, 12)}…`;
  throw new ExtensionError(
    `${who}: changed since the run started (${change}); restore it or start a new run`,
  );
}

async function decide(thread: Thread, run: Run, who: string, timeoutMs: number) {
  const iteration = run.iterations.at(-1)?.number ?? 0;
  const fail = (problem: string) => extensionError(who, `${problem} (iteration ${iteration})`);
  const late = `did not decide within ${seconds(timeoutMs)}`;
  const reply: Reply = await thread.ask({ type: "decide", run }, timeoutMs, late);
  if (!reply.ok) throw fail(reply.problem);
  const checked = toDecision(reply.value, who);
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
