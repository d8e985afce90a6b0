// Adds details to failed automake tests. Automake prints only names; its log files hold the output of the tests.
import path from "node:path";
import { automakeLogs } from "#parsers/automake";
import { failure } from "#parsers/shared/failure";
import { linesOf } from "#parsers/shared/lines";
import type { TestReport } from "#parsers/shared/report";
import type { Failure } from "#spec/verdict";
import { readTail } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { tail } from "#text/plain-text";
import { relativePaths } from "./relative-paths.ts";
import { fileVersion } from "./report-files.ts";

const MOST_LOGS = 20;
const LOG_BYTES = 256 * 1024;
const MESSAGE_CHARS = 900;
const TITLE = /^(?:FAIL|ERROR|XPASS): (\S.*)$/;
const DETAIL = /\*\*\*|\b(?:error|errors|failed|failure|failures|expected|assert\w*|not ok|panic|fatal)\b/i;

interface CommandPlace {
  readonly dir: string;
  readonly cwd: string;
  readonly stdout: string;
}

/** Reads only regular files inside the workspace: the file names come from untrusted output. */
export function withAutomakeDetails(report: TestReport, { dir, cwd, stdout }: CommandPlace): TestReport {
  if (report.format !== "automake" || report.failures.length === 0) return report;
  const sections = automakeLogs(linesOf(stdout))
    .slice(0, MOST_LOGS)
    .map((name) => path.resolve(cwd, name))
    .filter((file) => fileVersion(dir, file) !== undefined)
    .flatMap((file) => sectionsIn(relativePaths(secrets.mask(readTail(file, LOG_BYTES)), dir)));
  return { ...report, failures: report.failures.map((each) => withDetails(each, sections)) };
}

interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

function sectionsIn(text: string): readonly Section[] {
  const lines = linesOf(text);
  const starts = lines.flatMap((line, at) =>
    /^={3,}$/.test(lines[at + 1] ?? "") && /^[A-Z]+: /.test(line) ? [at] : [],
  );
  return starts.flatMap((at, index) => {
    const [, name] = TITLE.exec(lines[at] ?? "") ?? [];
    return name === undefined
      ? []
      : [{ name, lines: lines.slice(at + 2, starts[index + 1] ?? lines.length) }];
  });
}

// A section is named after the test, without its extension.
function withDetails(each: Failure, sections: readonly Section[]): Failure {
  const { id = "" } = each;
  const section = sections.find(
    ({ name }) => id === name || id.startsWith(`${name}.`) || id.startsWith(`${name} `),
  );
  if (section === undefined) return each;
  const details = section.lines.filter((line) => DETAIL.test(line));
  const text = (details.length > 0 ? details : section.lines).join("\n").trim();
  return failure({ ...each, message: details.length > 0 ? text : tail(text, MESSAGE_CHARS) });
}
