// Defines `converge notify` and `converge notify test`.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";

export function notifyCommands(program: Command, action: Action): void {
  const load = () => import("./commands/notify.ts");
  const notify = program
    .command("notify")
    .description("notifications: send a test, or what could not be delivered yet")
    .option("--retry", "deliver what is left of runs that nobody drives")
    .option("--json", "one JSON line a message")
    .addHelpText(
      "after",
      `
Who is told stands in the task file, or for all your tasks in your own defaults, under "notify":
  notify:
    - webhook: https://example.com/converge
      secretEnv: CONVERGE_WEBHOOK_SECRET
    - slack: { urlEnv: SLACK_WEBHOOK_URL }
      on: [waiting, blocked, escalated]
    - desktop: true

Examples:
  converge notify test                          a message to everybody in converge.yaml and your defaults
  converge notify test fix.yaml
  converge notify --retry                       what could not be delivered, again

Exit codes: 0 all of it was delivered, 2 nobody is to be told, 5 something was not delivered`,
    );
  notify.action(
    action(async (flags) => (flags.retry ? (await load()).retry(flags) : Promise.resolve(notify.help()))),
  );
  notify
    .command("test")
    .description("send a test to everybody whom a task tells, and say what came of each")
    .argument("[task]", "task file (default: converge.yaml, if there is one)")
    .option("--profile <name>", "profile of the task file to use")
    .option("--json", "one JSON line a message")
    .action(action(async (file, _own, command) => (await load()).test(file, command.optsWithGlobals())));
}
