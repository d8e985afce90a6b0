// converge submit: puts a task into the queue of the workers.

import { UNATTENDED } from "#config/limits";
import { labelProblem } from "#engine/names";
import { duration } from "#options/duration";
import { prepareTask } from "#runs/prepare-task";
import { submitRun } from "#runs/submit";
import { UsageError } from "#spec/errors";
import { openWithQueue } from "../support/open-context.ts";
import { whole } from "../support/positive-int.ts";
import { showNotes, warn } from "../support/warn.ts";
import { fileFrom, inputFrom, type RunFlags } from "./run.ts";

export interface SubmitFlags extends RunFlags {
  readonly label?: readonly string[];
  readonly priority?: string;
  readonly at?: string;
  readonly in?: string;
  readonly watch?: boolean;
}

const USUAL_PRIORITY = 5;
const LOWEST_PRIORITY = 9;

function delay(given: string): number {
  const read = duration.safeParse(given);
  if (read.success) return read.data;
  throw new UsageError(`--in: ${read.error.issues[0]?.message ?? "expected a duration"}`);
}

function startFrom({ at, in: after }: SubmitFlags): string | undefined {
  if (at !== undefined && after !== undefined) throw new UsageError("give --at or --in, not both");
  if (after !== undefined) return new Date(Date.now() + delay(after)).toISOString();
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  if (Number.isNaN(time))
    throw new UsageError(`--at: expected a time like 2026-11-17T02:00 or 2026-11-17T02:00Z, got "${at}"`);
  return new Date(time).toISOString();
}

export async function submit(file: string | undefined, flags: SubmitFlags): Promise<number> {
  const labels = flags.label ?? [];
  const wrong = labelProblem(labels);
  if (wrong) throw new UsageError(`--label: ${wrong}`);
  const startAt = startFrom(flags);
  const order = { most: LOWEST_PRIORITY, hint: "1 is first" };
  const priority = whole("--priority", flags.priority, order) ?? USUAL_PRIORITY;
  const wish = { priority, labels, ...(startAt && { startAt }) };
  const profile = flags.profile ? { profile: flags.profile } : {};
  const source = {
    ...fileFrom(file),
    flags: inputFrom(flags),
    defaults: UNATTENDED,
    ...profile,
    cwd: process.cwd(),
  };
  const read = await prepareTask(source, { onRead: showNotes });
  const app = openWithQueue();
  const id = await submitRun(app, read, wish, warn);
  await app.queue?.close();
  if (!flags.watch) {
    const when = startAt ? ` and starts after ${startAt}` : "";
    process.stdout.write(
      flags.json
        ? `${JSON.stringify({ run: id })}\n`
        : `run ${id} is in the queue${when}\n  converge watch ${id}    look at it\n  converge stop ${id}     end it\n`,
    );
    return 0;
  }
  return (await import("./watch.ts")).watch(id, flags);
}
