// converge notify
import { builtIns } from "#catalog/built-ins";
import { readTask } from "#config/read-task";
import { nameOf } from "#observers/notify/message";
import { deliverPending } from "#observers/notify/notifier";
import { type Tested, testNotify } from "#runs/test-notifications";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { homeFrom } from "#state/home";
import { mask } from "#system/mask-text";
import { fileFrom } from "./run.ts";

const NOT_DELIVERED = 5;

interface Told extends Tested {
  readonly id?: string;
}

function tell(told: readonly Told[], json: boolean): number {
  for (const { id, name, posted } of told) {
    const line = json
      ? JSON.stringify({
          ...(id && { id }),
          to: name,
          delivered: posted.ok,
          ...(!posted.ok && { why: posted.why }),
        })
      : `${name}: ${id ? `${id} ` : ""}${posted.ok ? "delivered" : `not delivered: ${posted.why}`}`;
    process.stdout.write(`${mask(line)}\n`);
  }
  return told.every(({ posted }) => posted.ok) ? 0 : NOT_DELIVERED;
}

export async function retry(flags: { readonly json?: boolean }): Promise<number> {
  const app = openContext();
  // No warnings: tell() prints the error of each message.
  const outcomes = await deliverPending(app, { warn: () => {}, signal: new AbortController().signal });
  await app.store.close();
  if (outcomes.length === 0 && !flags.json)
    process.stdout.write("nothing is left to be delivered, or another process is at it\n");
  const told = outcomes.map(({ delivery, posted }) => ({
    id: delivery.id,
    name: nameOf(delivery.to),
    posted,
  }));
  return tell(told, flags.json ?? false);
}

/** Fills the required fields, so that users can test the notifications of their own defaults without a task. */
const DEFAULTS = {
  prompt: "A test of the notifications.",
  agent: { type: "command", command: "true" },
  gates: ["true"],
};

export async function test(
  file: string | undefined,
  flags: { readonly json?: boolean; readonly profile?: string },
): Promise<number> {
  const home = homeFrom(process.env);
  const read = await readTask(
    {
      ...fileFrom(file),
      ...(flags.profile && { profile: flags.profile }),
      defaults: DEFAULTS,
      userFile: home.userConfig,
      cwd: process.cwd(),
    },
    builtIns(),
  );
  if (!read.task.notify)
    throw new UsageError(
      `nobody is to be told; write "notify: [{desktop: true}]" into the task file or into ${home.userConfig}`,
    );
  return tell(await testNotify(home, read), flags.json ?? false);
}
