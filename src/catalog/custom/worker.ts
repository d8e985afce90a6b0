// Worker thread that runs user code. This file and its imports may import only types from other rooms: tests start the
// built file with the flags that resolve `#` imports to TypeScript sources.
import { parentPort, workerData } from "node:worker_threads";
import { loadExport } from "./load-export.ts";
import type { Order, Question, Reply } from "./messages.ts";
import { type Performer, perform } from "./perform.ts";
import { describeError, describeInvalidAnswer } from "./preview.ts";
import { Refusal } from "./refusal.ts";

const order = workerData as Order;

// Redirects what a strategy prints to stderr, because stdout is reserved for Converge's own output.
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

async function reply(work: () => Promise<unknown>): Promise<void> {
  try {
    send(await work());
  } catch (error) {
    const problem = error instanceof Refusal ? error.message : `threw ${describeError(error, order.module)}`;
    parentPort?.postMessage({ ok: false, problem } satisfies Reply);
  }
}

function send(value: unknown): void {
  try {
    parentPort?.postMessage({ ok: true, value } satisfies Reply);
  } catch {
    throw new Refusal(describeInvalidAnswer(value, "it holds something that cannot be copied"));
  }
}

let performer: Performer | undefined;

async function answer(question: Question): Promise<unknown> {
  if (question.type === "decide") return performer?.decide(question.run);
  return performer?.end();
}

await reply(async () => {
  performer = await perform(await loadExport(order), order);
});
parentPort?.on("message", (question: Question) => reply(() => answer(question)));
