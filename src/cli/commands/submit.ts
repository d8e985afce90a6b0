// converge submit: puts a task into the queue of the workers.
import { UsageError } from "#spec/errors";
import type { Command } from "../support/command.ts";
import {
  agentFlags,
  DELIVER,
  GATE,
  gateFlags,
  limitFlags,
  PROFILE,
  PROMPT,
  TASK_FILE,
  taskFrom,
} from "../support/flags.ts";
import { print, printJson, printTaskNotes, warn } from "../support/messages.ts";
import { openWithQueue } from "../support/open-run.ts";
import { positiveInt } from "../support/values.ts";

interface SubmitFlags {
  readonly profile?: string;
  readonly label?: readonly string[];
  readonly priority?: string;
  readonly at?: string;
  readonly in?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

const DEFAULT_PRIORITY = 5;
const LOWEST_PRIORITY = 9;

const options = [
  PROMPT,
  ...agentFlags,
  GATE,
  ...gateFlags,
  ...limitFlags({ iterations: "20", time: "8h" }),
  DELIVER,
  PROFILE,
  {
    flags: "--label <label>",
    description: "label that the worker must have; repeatable",
    isRepeatable: true,
  },
  { flags: "--priority <n>", description: `1 (first) to ${LOWEST_PRIORITY} (default: ${DEFAULT_PRIORITY})` },
  { flags: "--at <time>", description: "earliest start, such as 2026-11-17T02:00" },
  { flags: "--in <duration>", description: "earliest start, counted from now, such as 2h" },
  { flags: "--watch", description: "follow the run until it is over" },
  { flags: "--json", description: "print only JSON" },
];

async function startFrom({ at, in: after }: SubmitFlags): Promise<string | undefined> {
  if (at !== undefined && after !== undefined) throw new UsageError("give --at or --in, not both");
  if (after !== undefined) {
    const { duration } = await import("#options/duration");
    const read = duration.safeParse(after);
    if (read.success) return new Date(Date.now() + read.data).toISOString();
    throw new UsageError(`--in: ${read.error.issues[0]?.message ?? "expected a duration"}`);
  }
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  if (Number.isNaN(time))
    throw new UsageError(`--at: expected a time like 2026-11-17T02:00 or 2026-11-17T02:00Z, got "${at}"`);
  return new Date(time).toISOString();
}

async function wishFrom(flags: SubmitFlags) {
  const { labelProblem } = await import("#engine/names");
  const labels = flags.label ?? [];
  const problem = labelProblem(labels);
  if (problem) throw new UsageError(`--label: ${problem}`);
  const startAt = await startFrom(flags);
  const range = { max: LOWEST_PRIORITY, hint: "1 is first" };
  const priority = positiveInt("--priority", flags.priority, range) ?? DEFAULT_PRIORITY;
  return { priority, labels, ...(startAt && { startAt }) };
}

async function prepare(file: string | undefined, flags: SubmitFlags) {
  const { UNATTENDED } = await import("#config/limits");
  const { prepareTask } = await import("#runs/prepare-task");
  const { fileFrom } = await import("../support/start-run.ts");
  const source = {
    ...fileFrom(file),
    flags: taskFrom(options, flags),
    defaults: UNATTENDED,
    ...(flags.profile && { profile: flags.profile }),
    cwd: process.cwd(),
  };
  return prepareTask(source, { onRead: printTaskNotes });
}

export const command: Command = {
  name: "submit",
  description: "submit a task to the workers instead of running it here",
  arguments: [TASK_FILE],
  options,
  notes: `Needs CONVERGE_DATABASE_URL, and a running worker. The workspace is a repository that workers can reach
(workspace: {git: URL, ref: main} in the task file), or this folder, which is sent along as it is now.`,
  examples: [
    ["converge submit", "the task in converge.yaml"],
    "converge submit fix.yaml --priority 1 --watch",
    "converge submit train.yaml --label gpu --in 2h",
  ],
  async run([file]: [string?], flags: SubmitFlags) {
    const wish = await wishFrom(flags);
    const read = await prepare(file, flags);
    const { submitRun } = await import("#runs/submit");
    const app = await openWithQueue();
    const id = await submitRun(app, read, { wish, warn });
    await app.queue?.close();
    if (flags.watch) {
      const { followRun } = await import("../support/follow-run.ts");
      return followRun({ app, id }, flags);
    }
    const { watchHints } = await import("../support/start-run.ts");
    const when = wish.startAt ? ` and starts after ${wish.startAt}` : "";
    if (flags.json) printJson({ run: id });
    else print(`run ${id} is in the queue${when}\n${watchHints(id)}`);
    return 0;
  },
};
