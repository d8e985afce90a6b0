// Defines `converge model` and `converge backtest`: the learned stopping model, and replays of strategies.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";
import { collect } from "./support/collect.ts";
export function modelCommands(program: Command, action: Action): void {
  const model = program
    .command("model")
    .description("what the adaptive strategy has learned about when to stop");
  const load = () => import("./commands/model.ts");
  model
    .command("show", { isDefault: true })
    .description("how likely an iteration passes here, by what was seen before")
    .option("-a, --all", "of all projects")
    .option("--json", "one JSON line a project and agent, with the weights")
    .action(action(async (flags) => (await load()).show(flags)));
  model
    .command("reset")
    .description("forget what was learned in this folder")
    .option("-a, --all", "in all projects")
    .option("--rebuild", "learn it again from the recorded runs")
    .action(action(async (flags) => (await load()).reset(flags)));
}

export function backtestCommand(program: Command, action: Action): void {
  program
    .command("backtest")
    .description("what strategies would have kept and saved of runs that are over")
    .argument("[runs...]", "recorded runs (default: all that have ended)")
    .option("--data <dir>", "a folder of logs instead, one run a line in *.jsonl; or one such file")
    .option(
      "--strategy <name>",
      "a strategy, or name:{options as JSON}; several to compare (default: adaptive, hybrid)",
      collect,
    )
    .option("--orders <n>", "so many shuffled orders, for strategies that learn (default: as recorded)")
    .option("--seed <n>", "another shuffling (default: 1)")
    .option("--html <file>", "also a page with pictures")
    .option("--json", "one JSON object, and nothing else")
    .addHelpText(
      "after",
      `
Kept: solved runs that were let run until they passed. Saved: iterations that were not made. A stop of a run that would have
passed is a false stop. See docs/backtest.md for the logs and how to read the table.

Examples:
  converge backtest --strategy adaptive --strategy hybrid
  converge backtest last --strategy 'fixed:{"iterations":3}'
  converge backtest --data logs --strategy adaptive --strategy 'adaptive:{"value":"thrifty"}' --orders 5
  converge backtest --data logs --strategy 'custom:{"module":"./mine.mjs"}' --html backtest.html

Exit codes: 0 measured, 2 usage error`,
    )
    .action(action(async (runs, flags) => (await import("./commands/backtest.ts")).backtest(runs, flags)));
}
