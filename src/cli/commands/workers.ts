// converge workers
import type { Presence } from "#spec/presence";
import { ago } from "../output/format.ts";
import { type Part, tone } from "../output/spans.ts";
import { screenFor } from "../output/style.ts";
import { headRow, table } from "../output/table.ts";
import type { Command } from "../support/command.ts";
import { print, printJson } from "../support/messages.ts";
import { sharedPresence } from "../support/open-run.ts";

type Worker = Awaited<ReturnType<Presence["workers"]>>[number];

function cells({ member, host, pid, concurrency, labels, version, since }: Worker): Part[] {
  return [
    tone("strong", String(member)),
    host,
    String(pid),
    String(concurrency),
    labels.join(", "),
    version,
    ago(since, Date.now()),
  ];
}

export const command: Command = {
  name: "workers",
  description: "list the running workers",
  options: [{ flags: "--json", description: "print one JSON line per worker" }],
  async run(_args: [], flags: { readonly json?: boolean }) {
    const { presence } = await sharedPresence();
    const workers = (await presence.workers()).filter(({ isHere }) => isHere);
    const head = headRow(["WORKER", "HOST", "PROCESS", "AT ONCE", "LABELS", "VERSION", "SINCE"]);
    if (flags.json) for (const worker of workers) printJson(worker);
    else if (workers.length === 0) print("no worker is running; start one with: converge worker");
    else table([head, ...workers.map(cells)], screenFor(100)).forEach(print);
    return 0;
  },
};
