// Worker thread that runs user code. This file and its imports may import only types from other rooms: tests start the
// built file with the flags that resolve `#` imports to TypeScript sources.
import { parentPort, workerData } from "node:worker_threads";
import { createCaller, type StrategyCaller } from "./call-strategy.ts";
import { describeError, describeInvalidAnswer } from "./describe-error.ts";
import { loadExport, UnusableModule } from "./load-module.ts";
import type { ModuleSource, Question, Reply } from "./worker-thread.ts";

const source = workerData as ModuleSource;

// Redirects what a strategy prints to stderr, because stdout is reserved for Converge's own output.
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

async function reply(work: () => Promise<unknown>): Promise<void> {
  try {
    send(await work());
  } catch (error) {
    const problem =
      error instanceof UnusableModule ? error.message : `threw ${describeError(error, source.module)}`;
    parentPort?.postMessage({ ok: false, problem } satisfies Reply);
  }
}

function send(value: unknown): void {
  try {
    parentPort?.postMessage({ ok: true, value } satisfies Reply);
  } catch {
    throw new UnusableModule(describeInvalidAnswer(value, "it holds something that cannot be copied"));
  }
}

let caller: StrategyCaller | undefined;

async function answer(question: Question): Promise<unknown> {
  if (question.type === "decide") return caller?.decide(question.run);
  return caller?.end();
}

await reply(async () => {
  caller = await createCaller(await loadExport(source), source);
});
parentPort?.on("message", (question: Question) => reply(() => answer(question)));
