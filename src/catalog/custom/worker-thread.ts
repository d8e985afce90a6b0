// Main-thread side of the worker. Survives anything user code does: endless loops, process.exit(), uncaught errors.
import { Worker } from "node:worker_threads";
import * as z from "zod";
import type { Run } from "#spec/run";
import { LONGEST_TIMER } from "#system/clock";
import { describeError } from "./describe-error.ts";

/** What the worker loads when it starts. */
export interface ModuleSource {
  readonly module: string;
  readonly exportName: string;
  readonly config: unknown;
}

export type Question = { readonly type: "decide"; readonly run: Run } | { readonly type: "end" };

/** One per question. The first one reports whether the module loaded. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

const WORKER = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/catalog/custom/worker.js" : "./worker.js",
  import.meta.url,
);

const HEAP_MB = 256;

const replySchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), problem: z.string() }),
]);

export interface Thread {
  /** Resolves when the module is loaded. */
  loaded(timeoutMs: number, late: string): Promise<Reply>;
  /** Rejects a second concurrent question. A timeout ends the thread; later calls return the first cause of its end. */
  ask(question: Question, timeoutMs: number, late: string): Promise<Reply>;
  close(): Promise<void>;
}

export function startThread(source: ModuleSource): Thread {
  const worker = new Worker(WORKER, {
    workerData: source,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let settle: ((reply: Reply) => void) | undefined;
  let failure: Reply | undefined;

  const endThread = (problem: string) => {
    failure ??= { ok: false, problem };
    settle?.(failure);
    void worker.terminate();
  };
  worker.on("message", (message) => {
    const reply = replySchema.safeParse(message);
    // User code may post other messages; the schema drops them.
    if (reply.success) settle?.(reply.data);
  });
  worker.on("error", (error) => endThread(`broke its thread: ${describeError(error, source.module)}`));
  worker.on("exit", (code) =>
    endThread(`ended its thread with exit code ${code}; it must not call process.exit()`),
  );

  // Only a pending reply keeps the process alive.
  const awaitReply = (timeoutMs: number, late: string) =>
    new Promise<Reply>((resolve) => {
      if (failure) return resolve(failure);
      worker.ref();
      const timer = setTimeout(endThread, Math.min(timeoutMs, LONGEST_TIMER), late);
      settle = (reply) => {
        settle = undefined;
        clearTimeout(timer);
        worker.unref();
        resolve(reply);
      };
    });

  return {
    loaded: awaitReply,
    async ask(question, timeoutMs, late) {
      if (failure) return failure;
      if (settle) return { ok: false, problem: "is still busy with the last question" };
      worker.postMessage(question);
      return awaitReply(timeoutMs, late);
    },
    async close() {
      failure ??= { ok: false, problem: "is closed" };
      settle?.(failure);
      await worker.terminate();
    },
  };
}
