// Our end of the thread. It outlives whatever user code does: an endless loop, process.exit(), an uncaught error.
import { Worker } from "node:worker_threads";
import * as z from "zod";
import { LONGEST_TIMER } from "#system/clock";
import type { Order, Question, Reply } from "./messages.ts";
import { describeError } from "./preview.ts";

// A thread starts from a file that Node reads as it is; beside the sources (in tests) there is none, so the built one.
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
  /** One at a time, a second is refused. A late reply ends the thread; after its end every reply is the first cause of it. */
  ask(question: Question, timeoutMs: number, late: string): Promise<Reply>;
  close(): Promise<void>;
}

export function startThread(order: Order): Thread {
  const worker = new Worker(WORKER, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let settle: ((reply: Reply) => void) | undefined;
  let gone: Reply | undefined;

  const lose = (problem: string) => {
    gone ??= { ok: false, problem };
    settle?.(gone);
    void worker.terminate();
  };
  worker.on("message", (message) => {
    const reply = replySchema.safeParse(message);
    // User code may post whatever it likes; only a reply is a reply.
    if (reply.success) settle?.(reply.data);
  });
  worker.on("error", (error) => lose(`broke its thread: ${describeError(error, order.module)}`));
  worker.on("exit", (code) =>
    lose(`ended its thread with exit code ${code}; it must not call process.exit()`),
  );

  // Only a pending reply keeps the process alive.
  const next = (timeoutMs: number, late: string) =>
    new Promise<Reply>((resolve) => {
      if (gone) return resolve(gone);
      worker.ref();
      const timer = setTimeout(lose, Math.min(timeoutMs, LONGEST_TIMER), late);
      settle = (reply) => {
        settle = undefined;
        clearTimeout(timer);
        worker.unref();
        resolve(reply);
      };
    });

  return {
    loaded: next,
    async ask(question, timeoutMs, late) {
      if (gone) return gone;
      if (settle) return { ok: false, problem: "is still busy with the last question" };
      worker.postMessage(question);
      return next(timeoutMs, late);
    },
    async close() {
      gone ??= { ok: false, problem: "is closed" };
      settle?.(gone);
      await worker.terminate();
    },
  };
}
