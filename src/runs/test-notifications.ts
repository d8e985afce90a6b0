// Sends a test notification to every recipient of a task, so that problems show before a real one is needed.
import { randomUUID } from "node:crypto";
import type { ReadTask } from "#config/read-task";
import type { AddressLookup } from "#observers/notify/addresses";
import { findAddress } from "#observers/notify/addresses";
import { nameOf } from "#observers/notify/message";
import { notifyFilesDir } from "#observers/notify/notifier";
import { sendWithRetries } from "#observers/notify/send-with-retries";
import type { Notice } from "#spec/notify";
import type { Home } from "#state/home";
import { systemClock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { secrets } from "#system/secrets/secrets";
import { titleOf } from "#text/labels";

export interface Tested {
  readonly name: string;
  readonly posted: Posted;
}

/** Tries each recipient once, whatever events it subscribes to. */
export async function testNotify(
  home: Home,
  { task, addresses }: Pick<ReadTask, "task" | "addresses">,
): Promise<Tested[]> {
  secrets.learn(task.secrets);
  const notice: Notice = {
    event: "test",
    run: "test",
    state: "test",
    reason: "somebody asked for a test; nothing has happened",
    iterations: 0,
    title: titleOf(task),
    workspace: task.workspace.dir,
    time: new Date().toISOString(),
  };
  // URLs are stored when a run starts; here they come from the task itself.
  const known = findAddress(home);
  const find = (address: Parameters<typeof known>[0]): AddressLookup => {
    const url = "kept" in address ? addresses[address.kept] : undefined;
    return url === undefined ? known(address) : { url };
  };
  const means = { find, files: notifyFilesDir(home), signal: new AbortController().signal };
  const once = { tries: 1, clock: systemClock };
  return Promise.all(
    (task.notify ?? []).map(async (to) => {
      const posted = await sendWithRetries({ id: `test-${randomUUID()}`, to, notice }, means, once);
      return { name: nameOf(to), posted };
    }),
  );
}
