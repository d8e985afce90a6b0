// What there is to type about taking a run elsewhere: as a report to read, or whole.
import type { Command } from "commander";
import type { Action } from "./action.ts";

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
