// A strategy from the user's own module: run in a thread of its own, bounded in time, and checked like any stranger.
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
  /** "default" unless told. */
  readonly export?: string;
  /** Handed to the class, the factory, or `initialize`. */
  readonly config?: unknown;
  /** For loading, and for each decision; 30 s unless told. */
  readonly timeoutMs?: number;
  /** SHA-256 of the module's bytes, in hex, pinned when the run started. */
  readonly hash?: string;
}

export interface CustomStrategy {
  readonly strategy: Strategy;
  /** Tells the strategy that the loop has ended, if it wants to know, and ends its thread. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const FAREWELL_MS = 1_000;
const LONGEST_PROBLEM = 2_000;

export async function customStrategy(options: CustomOptions): Promise<CustomStrategy> {
  const who = nameOf(options.module);
  await checkPinned(options, who);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const thread = startThread({
    module: options.module,
    exportName: options.export ?? "default",
    config: options.config,
  });
  const loaded = await thread.loaded(timeoutMs, `did not load within ${seconds(timeoutMs)}`);
  if (!loaded.ok) {
    await thread.close();
    throw broken(who, loaded.problem);
  }
  return { strategy: inTurn((run) => decide(thread, run, who, timeoutMs)), close: () => close(thread) };
}

async function checkPinned({ module, hash }: CustomOptions, who: string): Promise<void> {
  const found = await hashModule(module);
  if (hash === undefined || hash === found) return;
  const change = `expected sha256 ${hash.slice(0, 12)}…, found ${found.slice(0, 12)}…`;
  throw new ExtensionError(
    `${who}: changed since the run started (${change}); restore it or start a new run`,
  );
}

async function decide(thread: Thread, run: Run, who: string, timeoutMs: number) {
  const iteration = run.iterations.at(-1)?.number ?? 0;
  const fail = (problem: string) => broken(who, `${problem} (iteration ${iteration})`);
  const late = `did not decide within ${seconds(timeoutMs)}`;
  const reply: Reply = await thread.ask({ type: "decide", run }, timeoutMs, late);
  if (!reply.ok) throw fail(reply.problem);
  const checked = toDecision(reply.value, who);
  if (!checked.ok) throw fail(checked.problem);
  const { rollbackTo } = checked.decision;
  if (rollbackTo !== undefined && rollbackTo > iteration) {
    throw fail(`asked to roll back to iteration ${rollbackTo}, which has not been`);
  }
  return checked.decision;
}

/** The thread answers one question at a time. */
function inTurn<Input, Output>(work: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let before: Promise<unknown> = Promise.resolve();
  return (input) => {
    const mine = before.then(() => work(input));
    before = mine.catch(() => undefined);
    return mine;
  };
}

async function close(thread: Thread): Promise<void> {
  await thread.ask({ type: "end" }, FAREWELL_MS, "did not end");
  await thread.close();
}

function broken(who: string, problem: string): ExtensionError {
  return new ExtensionError(`${who}: ${head(plain(problem), LONGEST_PROBLEM)}`);
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
