// converge report
import fs from "node:fs";
import type { ReportFacts } from "#report/facts";
import { UsageError } from "#spec/errors";
import type { Command } from "../support/command.ts";
import { RUN_OR_LAST } from "../support/flags.ts";
import { print, printNote } from "../support/messages.ts";
import { openRun } from "../support/open-run.ts";

interface ReportFlags {
  /** true: without a file name. */
  readonly html?: string | true;
  readonly md?: string | true;
  readonly junit?: string | true;
}

interface Form {
  readonly flag: keyof ReportFlags;
  readonly extension: string;
  readonly load: () => Promise<(facts: ReportFacts) => string>;
}

const FORMS: readonly Form[] = [
  { flag: "html", extension: "html", load: async () => (await import("#report/page")).pageOf },
  { flag: "md", extension: "md", load: async () => (await import("#report/markdown")).markdownOf },
  { flag: "junit", extension: "xml", load: async () => (await import("#report/junit")).junitOf },
];

interface Output extends Pick<Form, "load"> {
  readonly file: string;
}

/** One output per form that was asked for; the page if none was. */
function outputsFrom(flags: ReportFlags, id: string): Output[] {
  const asked: ReportFlags = Object.keys(flags).length === 0 ? { html: true } : flags;
  const outputs = FORMS.flatMap(({ flag, extension, load }) => {
    const value = asked[flag];
    if (value === undefined) return [];
    return [{ file: value === true ? `converge-${id}.${extension}` : value, load }];
  });
  const files = outputs.map(({ file }) => file);
  const duplicate = files.find((file, at) => files.indexOf(file) !== at);
  if (duplicate === undefined) return outputs;
  throw new UsageError(
    `cannot write two forms of the report to ${duplicate === "-" ? "standard output" : duplicate}; name another file`,
  );
}

function write(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`cannot write the report: ${(error as Error).message}; name another file`);
  }
}

export const command: Command = {
  name: "report",
  description: "write a report of a run: an HTML page, Markdown for a pull request, or JUnit XML",
  arguments: [RUN_OR_LAST],
  options: [
    { flags: "--html [file]", description: "a self-contained HTML page (default: converge-RUN.html)" },
    { flags: "--md [file]", description: "short Markdown for a pull request (default: converge-RUN.md)" },
    { flags: "--junit [file]", description: "the final verdict as JUnit XML (default: converge-RUN.xml)" },
  ],
  notes: "Several forms can be combined; - is standard output. Without an option, writes the HTML page.",
  examples: [
    ["converge report", "the newest run, to converge-RUN.html"],
    "converge report k3f9x2ab --html out/run.html --junit out/run.xml",
    "converge report last --md - | gh pr comment --body-file -",
  ],
  isRead: true,
  async run([typed]: [string], flags: ReportFlags) {
    const { gatherReport } = await import("#report/gather");
    const { app, id } = await openRun(typed);
    const outputs = outputsFrom(flags, id);
    const facts = await gatherReport(app, id);
    // Keep messages out of standard output if a report goes there.
    const say = outputs.some(({ file }) => file === "-") ? printNote : print;
    for (const { file, load } of outputs) {
      const text = (await load())(facts);
      if (file === "-") process.stdout.write(text);
      else {
        write(file, text);
        say(`wrote the report of run ${id} to ${file}`);
      }
    }
    return 0;
  },
};
