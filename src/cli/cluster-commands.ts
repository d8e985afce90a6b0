// Defines the commands for several machines: submit, worker, workers and limits.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";
import { collect } from "./support/collect.ts";

export function clusterCommands(program: Command, action: Action): void {
  program
    .command("submit")
    .description("give a task to the workers, instead of driving it here")
    .argument("[task]", "task file (default: converge.yaml, if there is one)")
    .option("-p, --prompt <text>", "what is wanted")
    .option("--agent <name>", "agent to use")
    .option("--agent-cmd <command>", "any command as the agent; it gets the prompt on standard input")
    .option("--gate <command>", "command that must pass; may be given several times", collect)
    .option(
      "--gate-timeout <duration>",
      "time limit of a gate that has none of its own, like 20m (default: 10m)",
    )
    .option(
      "--allow-errored-baseline",
      "start the agent although a gate cannot judge yet: it is to build what is missing",
    )
    .option("--max-iterations <n>", "most iterations")
    .option("--max-time <duration>", "most time, like 2h")
    .option("--max-cost <usd>", "most money, in dollars")
    .option("--deliver <how>", "branch, commit, patch or pull-request, once the gates pass")
    .option("--profile <name>", "profile of the task file to use")
    .option("--label <label>", "label that the worker has to have; may be given several times", collect)
    .option("--priority <n>", "1 (first) to 9 (default: 5)")
    .option("--at <time>", "do not start before, like 2026-11-17T02:00")
    .option("--in <duration>", "do not start before, counted from now, like 2h")
    .option("--watch", "stay, and look at it until it is over")
    .option("--json", "print JSON, and nothing else")
    .addHelpText(
      "after",
      `
Needs CONVERGE_DATABASE_URL, and a worker somewhere. The workspace is a repository that workers can reach
(workspace: {git: URL, ref: main} in the task file), or this folder, which is sent along as it is now.

Examples:
  converge submit                               the task in converge.yaml
  converge submit fix.yaml --priority 1 --watch
  converge submit train.yaml --label gpu --in 2h`,
    )
    .action(action(async (file, flags) => (await import("./commands/submit.ts")).submit(file, flags)));
  program
    .command("worker")
    .description("drive what was submitted, until it is stopped")
    .option("--database <url>", "the database that everybody shares (default: CONVERGE_DATABASE_URL)")
    .option("--labels <a,b>", "what this machine has that tasks may ask for")
    .option("--concurrency <n>", "runs at once (default: the number of processors, at most 8)")
    .addHelpText(
      "after",
      `
Any number of workers may share a database. When one dies, another goes on with its runs from their last finished step.
Ctrl-C or SIGTERM leaves what is under way to the others.

Examples:
  converge worker --database postgres://converge@db.example/converge
  converge worker --labels gpu,mac --concurrency 4

See docs/deployment.md for several machines, limits, backup and security.`,
    )
    .action(action(async (flags) => (await import("./commands/worker.ts")).worker(flags)));
  program
    .command("workers")
    .description("list the workers that are there")
    .option("--json", "one JSON line a worker")
    .action(action(async (flags) => (await import("./commands/worker.ts")).workers(flags)));
  program
    .command("limits")
    .description("how many runs workers drive at once, all together; without options, what holds now")
    .option("--total <n>", "at most so many, or none")
    .option("--per-repository <n>", "at most so many in one repository, or none")
    .option("--per-agent <n>", "at most so many with one agent, or none")
    .addHelpText(
      "after",
      `
Examples:
  converge limits --total 20 --per-repository 1 --per-agent 8
  converge limits --per-agent none`,
    )
    .action(action(async (flags) => (await import("./commands/limits.ts")).limits(flags)));
}
