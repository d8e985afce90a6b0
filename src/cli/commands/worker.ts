// converge worker: runs queued tasks until it is stopped.
import os from "node:os";
import { UsageError } from "#spec/errors";
import { counted } from "../output/format.ts";
import type { Command } from "../support/command.ts";
import { STOPPED } from "../support/exit-code.ts";
import { printNote } from "../support/messages.ts";
import { positiveInt } from "../support/values.ts";

interface WorkerFlags {
  readonly database?: string;
  readonly labels?: string;
  readonly concurrency?: string;
}

/** Agents mostly wait for their models, but gates need CPUs. */
const MAX_DEFAULT_CONCURRENCY = 8;

const defaultConcurrency = () => Math.max(1, Math.min(MAX_DEFAULT_CONCURRENCY, os.availableParallelism()));

const log = (text: string) => printNote(`${new Date().toISOString()} ${text}`);

/** The first signal returns active runs to the queue; the second exits at once. */
function handleSignals(leave: AbortController): void {
  const stop = () => {
    if (leave.signal.aborted) process.exit(STOPPED);
    log("stopping: active runs go back to the queue; press Ctrl-C again to exit at once");
    leave.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
}

async function labelsFrom(text = ""): Promise<string[]> {
  const { labelProblem } = await import("#engine/names");
  const labels = text
    .split(",")
    .map((label) => label.trim())
    .filter(Boolean);
  const problem = labelProblem(labels);
  if (problem) throw new UsageError(`--labels: ${problem}`);
  return labels;
}

export const command: Command = {
  name: "worker",
  description: "run submitted tasks until stopped",
  options: [
    { flags: "--database <url>", description: "the shared database (default: CONVERGE_DATABASE_URL)" },
    { flags: "--labels <a,b>", description: "labels of this machine that tasks can ask for" },
    {
      flags: "--concurrency <n>",
      description: `maximum number of runs at once (default: the number of CPUs, at most ${MAX_DEFAULT_CONCURRENCY})`,
    },
  ],
  notes: `Any number of workers can share a database. When one dies, another continues its runs after their last finished step.
Ctrl-C or SIGTERM returns active runs to the queue for the other workers.`,
  examples: [
    "converge worker --database postgres://converge@db.example/converge",
    "converge worker --labels gpu,mac --concurrency 4",
  ],
  seeAlso: "See docs/deployment.md for several machines, limits, backup and security.",
  async run(_args: [], flags: WorkerFlags) {
    const url = flags.database ?? process.env.CONVERGE_DATABASE_URL;
    if (!url)
      throw new UsageError(
        "no shared database; use --database postgres://USER:PASSWORD@HOST/DATABASE, or set CONVERGE_DATABASE_URL",
      );
    const labels = await labelsFrom(flags.labels);
    const concurrency = positiveInt("--concurrency", flags.concurrency) ?? defaultConcurrency();
    const { openContext } = await import("#state/context");
    const app = openContext({ ...process.env, CONVERGE_DATABASE_URL: url });
    const leave = new AbortController();
    handleSignals(leave);
    // Hide Node's deprecation warnings: the queue library causes them, and people who run workers cannot fix them.
    process.noDeprecation = true;
    const { work } = await import("#engine/worker");
    const onReady = (member: number) => {
      const having = labels.length > 0 ? ` with ${labels.join(", ")}` : "";
      log(`worker ${member} is ready for ${counted(concurrency, "run")} at once${having}`);
    };
    await work(app, { url, labels, concurrency, signal: leave.signal, onReady, log });
    await app.store.close();
    return 0;
  },
};
