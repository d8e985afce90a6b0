// A message to everybody whom a task tells, so that people know that it works before they need it.
import { randomUUID } from "node:crypto";
import type { Notice } from "#spec/notify";
import { systemClock } from "#system/clock";
import { secrets } from "#system/secrets/secrets";
import type { ReadTask } from "../config/read-task.ts";
import type { Home } from "../home.ts";
import { titleOf } from "../names.ts";
import type { Posted } from "../post.ts";
import type { Found } from "./addresses.ts";
import { findAddress } from "./addresses.ts";
import { deliver } from "./deliver.ts";
import { nameOf } from "./delivery.ts";
import { filesOf } from "./notifier.ts";

export interface Tested {
  readonly name: string;
  readonly posted: Posted;
}

/** Each is tried once, whatever it wants to hear of. */
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
  // A task that no run was started with has left its URLs nowhere.
  const known = findAddress(home);
  const find = (address: Parameters<typeof known>[0]): Found => {
    const url = "kept" in address ? addresses[address.kept] : undefined;
    return url === undefined ? known(address) : { url };
  };
  const means = { find, files: filesOf(home), signal: new AbortController().signal };
  const once = { tries: 1, clock: systemClock };
  return Promise.all(
    (task.notify ?? []).map(async (to) => {
      const posted = await deliver({ id: `test-${randomUUID()}`, to, notice }, means, once);
      return { name: nameOf(to), posted };
    }),
  );
}
