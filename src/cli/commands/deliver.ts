// converge deliver
import { deliverySteps, stepParts } from "../output/next-steps.ts";
import { render } from "../output/spans.ts";
import { screenFor } from "../output/style.ts";
import { deliveredRows } from "../output/workspace-lines.ts";
import type { Command } from "../support/command.ts";
import { NOT_DELIVERED, STOPPED } from "../support/exit-code.ts";
import { RUN } from "../support/flags.ts";
import { print, printJson, printNote, warn } from "../support/messages.ts";
import { openRun } from "../support/open-run.ts";

interface DeliverFlags {
  readonly as?: string;
  readonly branch?: string;
  readonly file?: string;
  readonly remote?: string;
  readonly base?: string;
  readonly message?: string;
  readonly whenRed?: boolean;
  readonly json?: boolean;
}

/** Undefined if Ctrl-C cancelled the delivery. */
async function deliverUntilCancelled(typed: string, { as, json: _, ...options }: DeliverFlags) {
  const { deliverRun } = await import("#runs/deliver-run");
  const { app, id } = await openRun(typed);
  const controller = new AbortController();
  const cancel = () => controller.abort();
  process.once("SIGINT", cancel).once("SIGTERM", cancel);
  const wish = { ...(as && { type: as }), ...options };
  try {
    return await deliverRun(app, id, wish, { signal: controller.signal, warn });
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    printNote(`converge: ${(error as Error).message}`);
    return undefined;
  }
}

export const command: Command = {
  name: "deliver",
  description: "deliver the work of an ended run: later, again, or in another way",
  arguments: [RUN],
  options: [
    {
      flags: "--as <how>",
      description: "branch, commit, patch or pull-request (default: the setting of the task)",
    },
    { flags: "--branch <name>", description: "name of the branch (default: converge/RUN)" },
    { flags: "--file <path>", description: "file for the patch (default: in the state folder)" },
    {
      flags: "--remote <name>",
      description: "remote to which the branch of a pull request is pushed (default: origin)",
    },
    { flags: "--base <branch>", description: "base branch of the pull request" },
    { flags: "--message <text>", description: "commit message, and title of a pull request" },
    { flags: "--when-red", description: "deliver even if gates fail" },
    { flags: "--json", description: "print JSON" },
  ],
  examples: [
    ["converge deliver last --as branch", "a branch converge/RUN; the checked-out branch does not change"],
    ["converge deliver last --as commit", "a commit on the checked-out branch"],
    "converge deliver last --as patch --file fix.patch",
    ["converge deliver k3f9x2ab", "as the task says, again after a problem"],
  ],
  exitCodes: "0 delivered, 2 refused, 7 not delivered as requested; the output says where the work is",
  async run([typed]: [string], flags: DeliverFlags) {
    const done = await deliverUntilCancelled(typed, flags);
    if (!done) return STOPPED;
    const { run, delivered } = done;
    const screen = screenFor(100);
    const { columns } = screen;
    const steps = deliverySteps(run).map((step) => ["  ", ...stepParts(step, columns - 2)]);
    if (flags.json) printJson(delivered);
    else for (const row of [...deliveredRows(delivered, screen), ...steps]) print(render(row, screen));
    return delivered.problem === undefined ? 0 : NOT_DELIVERED;
  },
};
