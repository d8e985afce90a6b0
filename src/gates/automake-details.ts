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
import { relative } from "./relative.ts";
import { writingOf } from "./report-files.ts";

const MOST_LOGS = 20;
const LOG_BYTES = 256 * 1024;
const MESSAGE_CHARS = 900;
const TITLE = /^(?:FAIL|ERROR|XPASS): (\S.*)$/;
const TELLING = /\*\*\*|\b(?:error|errors|failed|failure|failures|expected|assert\w*|not ok|panic|fatal)\b/i;

interface Place {
  readonly dir: string;
  readonly cwd: string;
  readonly stdout: string;
}

/** Reads only regular files inside the workspace: the file names come from untrusted output. */
export function withAutomakeDetails(found: TestReport, { dir, cwd, stdout }: Place): TestReport {
  if (found.format !== "automake" || found.failures.length === 0) return found;
  const sections = automakeLogs(linesOf(stdout))
    .slice(0, MOST_LOGS)
    .map((name) => path.resolve(cwd, name))
    .filter((file) => writingOf(dir, file) !== undefined)
    .flatMap((file) => sectionsIn(relative(secrets.mask(readTail(file, LOG_BYTES)), dir)));
  return { ...found, failures: found.failures.map((each) => detailed(each, sections)) };
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
function detailed(each: Failure, sections: readonly Section[]): Failure {
  const { id = "" } = each;
  const section = sections.find(
    ({ name }) => id === name || id.startsWith(`${name}.`) || id.startsWith(`${name} `),
  );
  if (section === undefined) return each;
  const telling = section.lines.filter((line) => TELLING.test(line));
  const text = (telling.length > 0 ? telling : section.lines).join("\n").trim();
  return failure({ ...each, message: telling.length > 0 ? text : tail(text, MESSAGE_CHARS) });
}
