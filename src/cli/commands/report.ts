// converge report: writes a run as an HTML page, as Markdown for a pull request, or as JUnit XML.
import fs from "node:fs";
import type { ReportFacts } from "#report/facts";
import { gatherReport } from "#report/gather";
import { junitOf } from "#report/junit";
import { markdownOf } from "#report/markdown";
import { pageOf } from "#report/page";
import { UsageError } from "#spec/errors";
import { openContext } from "#state/context";
import { findRun } from "#state/find-run";

export interface ReportFlags {
  readonly html?: string | true;
  readonly md?: string | true;
  readonly junit?: string | true;
}

const FORMS = [
  { flag: "html", ending: "html", make: pageOf },
  { flag: "md", ending: "md", make: markdownOf },
  { flag: "junit", ending: "xml", make: junitOf },
] as const satisfies readonly {
  readonly flag: keyof ReportFlags;
  readonly ending: string;
  readonly make: (facts: ReportFacts) => string;
}[];

interface Wanted {
  readonly file: string;
  readonly make: (facts: ReportFacts) => string;
}

function wantedFrom(flags: ReportFlags, id: string): Wanted[] {
  const asked = Object.keys(flags).length === 0 ? { html: true as const } : flags;
  const wanted = FORMS.flatMap(({ flag, ending, make }) => {
    const given = asked[flag];
    return given === undefined ? [] : [{ file: given === true ? `converge-${id}.${ending}` : given, make }];
  });
  const files = wanted.map(({ file }) => file);
  const twice = files.find((file, at) => files.indexOf(file) !== at);
  if (twice === undefined) return wanted;
  throw new UsageError(
    `two forms of the report cannot go to ${twice === "-" ? "standard output" : twice} at once; name another file`,
  );
}

function write(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`cannot write the report: ${(error as Error).message}; name another file`);
  }
}

export async function report(given: string, flags: ReportFlags): Promise<number> {
  const app = openContext();
  const id = await findRun(app, given);
  const wanted = wantedFrom(flags, id);
  const facts = await gatherReport(app, id);
  // Keep messages out of standard output if a report goes there.
  const tell = wanted.some(({ file }) => file === "-") ? process.stderr : process.stdout;
  for (const { file, make } of wanted) {
    if (file === "-") process.stdout.write(make(facts));
    else {
      write(file, make(facts));
      tell.write(`the report of run ${id} is in ${file}\n`);
    }
  }
  return 0;
}
