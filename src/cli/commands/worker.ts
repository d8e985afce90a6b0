// converge worker, workers: runs queued tasks until stopped, and lists the workers.
import os from "node:os";
import { labelProblem } from "#engine/names";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { ago } from "../output/format.ts";
import { tone } from "../output/spans.ts";
import { styleFor } from "../output/style.ts";
import { table } from "../output/table.ts";
import { whole } from "../support/positive-int.ts";
import { sharedPresence } from "../support/shared-presence.ts";

export interface WorkerFlags {
  readonly database?: string;
  readonly labels?: string;
  readonly concurrency?: string;
}

const NOWHERE =
  "expected the database that everybody shares: --database postgres://USER:PASSWORD@HOST/DATABASE, or CONVERGE_DATABASE_URL";

/** One run per CPU, at most 8: agents mostly wait for their models. */
const usualConcurrency = () => Math.max(1, Math.min(8, os.availableParallelism()));

/** The first signal returns active runs to the queue; the second exits at once. */
function heedSignals(leave: AbortController, say: (text: string) => void): void {
  const stop = () => {
    if (leave.signal.aborted) process.exit(130);
    say("leaving: what is under way goes back into the queue; once more to leave at once");
    leave.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
}

export async function worker(flags: WorkerFlags): Promise<number> {
  const url = flags.database ?? process.env.CONVERGE_DATABASE_URL;
  if (!url) throw new UsageError(NOWHERE);
  const labels = (flags.labels ?? "")
    .split(",")
    .map((label) => label.trim())
    .filter(Boolean);
  const wrong = labelProblem(labels);
  if (wrong) throw new UsageError(`--labels: ${wrong}`);
  const concurrency = whole("--concurrency", flags.concurrency) ?? usualConcurrency();
  const app = openContext({ ...process.env, CONVERGE_DATABASE_URL: url });
  const say = (text: string) => process.stderr.write(`${new Date().toISOString()} ${text}\n`);
  const leave = new AbortController();
  heedSignals(leave, say);
  // Hide Node's deprecation warnings: the queue library causes them, and people who run workers cannot fix them.
  process.noDeprecation = true;
  const { work } = await import("#engine/worker");
  const onReady = (member: number) => {
    const having = labels.length > 0 ? ` with ${labels.join(", ")}` : "";
    say(`worker ${member} is ready for ${concurrency} run${concurrency === 1 ? "" : "s"} at once${having}`);
  };
  await work(app, { url, labels, concurrency, signal: leave.signal, onReady, log: say });
  await app.store.close();
  return 0;
}

export async function workers(flags: { readonly json?: boolean }): Promise<number> {
  const all = (await sharedPresence().presence.workers()).filter(({ isHere }) => isHere);
  if (flags.json) {
    for (const one of all) process.stdout.write(`${JSON.stringify(one)}\n`);
    return 0;
  }
  if (all.length === 0) {
    process.stdout.write("no worker is there; start one with: converge worker\n");
    return 0;
  }
  const head = ["WORKER", "HOST", "PROCESS", "AT ONCE", "LABELS", "VERSION", "SINCE"].map((word) =>
    tone("faint", word),
  );
  const rows = all.map(({ member, host, pid, concurrency, labels, version, since }) => [
    tone("strong", String(member)),
    host,
    String(pid),
    String(concurrency),
    labels.join(", "),
    version,
    ago(since, Date.now()),
  ]);
  const style = styleFor(process.stdout, process.env);
  for (const line of table([head, ...rows], process.stdout.columns || 100, style))
    process.stdout.write(`${line}\n`);
  return 0;
}
