// converge notify
import type { Tested } from "#runs/test-notifications";
import { UsageError } from "#spec/errors";
import type { Command } from "../support/command.ts";
import { INTERNAL_ERROR } from "../support/exit-code.ts";
import { PROFILE, TASK_FILE } from "../support/flags.ts";
import { print } from "../support/messages.ts";

const JSON_LINES = { flags: "--json", description: "print one JSON line per message" };

interface Sent extends Tested {
  readonly id?: string;
}

function sentLine({ id, name, posted }: Sent): string {
  return `${name}: ${id ? `${id} ` : ""}${posted.ok ? "delivered" : `not delivered: ${posted.why}`}`;
}

function sentJson({ id, name, posted }: Sent): string {
  const failure = posted.ok ? {} : { why: posted.why };
  return JSON.stringify({ ...(id && { id }), to: name, delivered: posted.ok, ...failure });
}

/** Prints the result of each message, and returns the exit code. */
async function printSent(sent: readonly Sent[], json = false): Promise<number> {
  const { mask } = await import("#system/mask-text");
  for (const one of sent) print(mask(json ? sentJson(one) : sentLine(one)));
  return sent.every(({ posted }) => posted.ok) ? 0 : INTERNAL_ERROR;
}

async function retry(json: boolean | undefined): Promise<number> {
  const { nameOf } = await import("#observers/notify/message");
  const { deliverPending } = await import("#observers/notify/notifier");
  const { openContext } = await import("#state/context");
  const app = openContext();
  // No warnings: printSent() prints the error of each message.
  const outcomes = await deliverPending(app, { warn: () => {} }, new AbortController().signal);
  await app.store.close();
  if (outcomes.length === 0 && !json)
    print("no notifications are pending, or another process is delivering them");
  const sent = outcomes.map(({ delivery, posted }) => ({
    id: delivery.id,
    name: nameOf(delivery.to),
    posted,
  }));
  return printSent(sent, json);
}

/** Fills the required fields, so that users can test the notifications of their own defaults without a task. */
const DEFAULTS = {
  prompt: "A test of the notifications.",
  agent: { type: "command", command: "true" },
  gates: ["true"],
};

const test: Command = {
  name: "test",
  description: "send a test message to every recipient of a task, and print the results",
  arguments: [TASK_FILE],
  options: [PROFILE, JSON_LINES],
  async run([file]: [string?], flags: { readonly json?: boolean; readonly profile?: string }) {
    const { builtIns } = await import("#catalog/built-ins");
    const { readTask } = await import("#config/read-task");
    const { testNotify } = await import("#runs/test-notifications");
    const { homeFrom } = await import("#state/home");
    const { fileFrom } = await import("../support/start-run.ts");
    const home = homeFrom(process.env);
    const source = {
      ...fileFrom(file),
      ...(flags.profile && { profile: flags.profile }),
      defaults: DEFAULTS,
      userFile: home.userConfig,
      cwd: process.cwd(),
    };
    const read = await readTask(source, builtIns());
    if (!read.task.notify)
      throw new UsageError(
        `the task has no recipients; add "notify: [{desktop: true}]" to the task file or to ${home.userConfig}`,
      );
    return printSent(await testNotify(home, read), flags.json);
  },
};

export const command: Command = {
  name: "notify",
  description: "test notifications, or send those that could not be delivered yet",
  options: [
    { flags: "--retry", description: "send the pending notifications of runs that no process drives" },
    JSON_LINES,
  ],
  notes: `Recipients are listed under "notify" in the task file, or for all tasks in your config file:
  notify:
    - webhook: https://example.com/converge
      secretEnv: CONVERGE_WEBHOOK_SECRET
    - slack: { urlEnv: SLACK_WEBHOOK_URL }
      on: [waiting, blocked, escalated]
    - desktop: true`,
  examples: [
    ["converge notify test", "a message to every recipient in converge.yaml and your config file"],
    "converge notify test fix.yaml",
    ["converge notify --retry", "send again what could not be delivered"],
  ],
  exitCodes: "0 everything was delivered, 2 no recipients, 5 something was not delivered",
  subcommands: [test],
  async run(_args: [], flags: { readonly retry?: boolean; readonly json?: boolean }) {
    return flags.retry ? retry(flags.json) : "help";
  },
};
