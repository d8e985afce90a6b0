// Parses Python's unittest and Django's test runner, which share a format. No line starts a run: the last one counts.
// Expected failures count as skipped; failed set-up of a class or module is a failure but not a test.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const RAN = /^Ran (\d{1,9}) tests? in [\d.]+s$/;
const RESULT = /^(?:OK|FAILED|NO TESTS RAN)(?: \(([a-z ]+=\d{1,9}(?:, [a-z ]+=\d{1,9})*)\))?$/;
const RULE = /^={70}$/;
const LINE = /^-{70}$/;
const TITLE = /^(?:ERROR|FAIL|UNEXPECTED SUCCESS): (\S.*)$/;
const NAMED = /^(\S+) \(([\w.<>]+)\)(.*)$/;
const FIXTURE = /^(?:setUp|tearDown)(?:Class|Module)$/;
const NOT_PARSED = /^(?:SyntaxError|IndentationError|TabError)\b/;
const FRAME = /^ {2,4}File "(.+)", line (\d{1,9})/;

interface Section {
  readonly title: string;
  readonly body: readonly string[];
}

export const unittest: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line, index) => RAN.test(line) && RESULT.test(lines[index + 2] ?? ""));
  if (at < 0) return undefined;
  const sections = sectionsIn(lines.slice(0, at));
  const ran = Number(RAN.exec(lines[at] ?? "")?.[1]);
  const counts = countsIn(ran, lines[at + 2] ?? "", sections);
  return report("unittest", [{ counts, failures: sections.map(toFailure) }], at + 2);
};

function sectionsIn(lines: readonly string[]): readonly Section[] {
  const starts = lines.flatMap((line, at) =>
    RULE.test(line) && TITLE.test(lines[at + 1] ?? "") ? [at + 1] : [],
  );
  return starts.map((start, index) => {
    const entry = lines.slice(start, (starts[index + 1] ?? lines.length + 1) - 1);
    // The last section ends at the rule above "Ran".
    const body = entry.slice(entry.findIndex((line) => LINE.test(line)) + 1);
    return {
      title: TITLE.exec(entry[0] ?? "")?.[1] ?? "",
      body: LINE.test(body.at(-1) ?? "") ? body.slice(0, -1) : body,
    };
  });
}

function countsIn(ran: number, result: string, sections: readonly Section[]): TestCounts {
  const numbers = new Map(
    (RESULT.exec(result)?.[1] ?? "").split(", ").map((item) => {
      const [name = "", digits] = item.split("=");
      return [name, Number(digits)] as const;
    }),
  );
  const of = (name: string) => numbers.get(name) ?? 0;
  const failed = of("failures") + of("errors") + of("unexpected successes");
  const skipped = of("skipped") + of("expected failures");
  // A test may fail once per subtest; class set-up and modules that did not load do not count as tests.
  const tests = new Set(sections.filter(({ title }) => isTest(title)).map(({ title }) => testOf(title)));
  const unloaded = sections.filter(({ title }) => title.includes("._FailedTest")).length;
  const own = Math.min(failed, tests.size || failed);
  const passed = Math.max(0, ran - own - unloaded - skipped);
  return countsOf({
    passed,
    failed,
    skipped,
    extra: tests.size === 0 ? Math.min(sections.length, failed) : failed - own,
  });
}

function isTest(title: string): boolean {
  const [, method = ""] = NAMED.exec(title) ?? [];
  return !FIXTURE.test(method) && !title.includes("._FailedTest");
}

/** Drops the subtest of `test_a (module.Class.test_a) (n=2)`; before Python 3.11, `test_a (module.Class) (n=2)`. */
function testOf(title: string): string {
  const [, method, owner = ""] = NAMED.exec(title) ?? [];
  if (method === undefined) return title;
  if (owner.includes("._FailedTest")) return method;
  return owner.endsWith(`.${method}`) ? owner : `${owner}.${method}`;
}

function toFailure({ title, body }: Section): Failure {
  const [, , , subtest = ""] = NAMED.exec(title) ?? [];
  const places = body.flatMap((line) => {
    const [, file, row] = FRAME.exec(line) ?? [];
    return file === undefined ? [] : [`${file}:${row}`];
  });
  const frames = body.findLastIndex((line) => FRAME.test(line));
  const after = body.slice(frames + 1);
  const message = frames < 0 ? body : after.slice(after.findIndex((line) => !line.startsWith("    ")));
  // A syntax error has no frame; its location is below the frames of the importers.
  const own = NOT_PARSED.test(message[0] ?? "") ? places.slice(-1) : places;
  return failure({ id: testOf(title) + subtest, message: message.join("\n"), location: locate(own) });
}
