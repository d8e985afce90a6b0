// Defines `converge report`, `converge export` and `converge import`.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";

export function reportCommand(program: Command, action: Action, run: string): void {
  program
    .command("report")
    .description("a run to read and to attach: a page, Markdown for a pull request, JUnit XML")
    .argument("[run]", run, "last")
    .option("--html [file]", "one page that needs nothing else (default: converge-RUN.html)")
    .option("--md [file]", "Markdown, short, for a pull request (default: converge-RUN.md)")
    .option("--junit [file]", "the final verdict as JUnit XML (default: converge-RUN.xml)")
    .addHelpText(
      "after",
      `
Several forms may be asked for at once; - is standard output. Without one, the page is written.

Examples:
  converge report                                  the newest run, to converge-RUN.html
  converge report k3f9x2ab --html out/run.html --junit out/run.xml
  converge report last --md - | gh pr comment --body-file -`,
    )
    .action(action(async (given, flags) => (await import("./commands/report.ts")).report(given, flags)));
}

export function transferCommands(program: Command, action: Action, run: string): void {
  const load = () => import("./commands/transfer.ts");
  program
    .command("export")
    .description("a run in one file, for another machine: its record, its logs, its snapshots")
    .argument("[run]", run, "last")
    .option("-o, --output <file>", "where to; - is standard output (default: converge-RUN.tar.gz)")
    .addHelpText(
      "after",
      `
It holds the prompts, the output of agents and gates, and every file of the snapshots; values of secrets are masked in
what was recorded, and not in the files themselves.

Examples:
  converge export last
  converge export k3f9x2ab -o - | ssh other "cat > run.tar.gz"`,
    )
    .action(action(async (given, flags) => (await load()).exporting(given, flags)));
  program
    .command("import")
    .description(
      "take over a run that was exported elsewhere; all of it is checked first, nothing is overwritten",
    )
    .argument("<file>", "what converge export wrote")
    .option("--workspace <dir>", "where the run's workspace lies on this machine, to restore or resume it")
    .addHelpText(
      "after",
      `
To resume a run is to do what its task says: resume only what you would have started yourself.

Examples:
  converge import run.tar.gz                          to look at: show, logs, diff, report
  converge import run.tar.gz --workspace ~/project    also to go on with
  converge restore RUN --iteration last && converge resume RUN`,
    )
    .action(action(async (file, flags) => (await load()).importing(file, flags)));
}
