// Finds the test report in the output of a command, whichever runner wrote it.
import type { Failure } from "#spec/verdict";
import { plain } from "#text/plain-text";
import { automake } from "./automake.ts";
import { ava } from "./ava.ts";
import { bun } from "./bun.ts";
import { cargoTest } from "./cargo-test.ts";
import { catch2 } from "./catch2.ts";
import { ctest } from "./ctest.ts";
import { findDiagnostics } from "./diagnostics/find-diagnostics.ts";
import { doctest } from "./doctest.ts";
import { dotnet } from "./dotnet.ts";
import { goTest } from "./go-test.ts";
import { googletest } from "./googletest.ts";
import { gradle } from "./gradle.ts";
import { jasmine } from "./jasmine.ts";
import { jest } from "./jest.ts";
import { jestJson } from "./jest-json.ts";
import { junitConsole } from "./junit-console.ts";
import { junitXml } from "./junit-xml.ts";
import { meson } from "./meson.ts";
import { minitest } from "./minitest.ts";
import { mocha } from "./mocha.ts";
import { mochaJson } from "./mocha-json.ts";
import { nodeTest } from "./node-test.ts";
import { joinPackages } from "./package-reports.ts";
import { phpunit } from "./phpunit.ts";
import { prove } from "./prove.ts";
import { pytest } from "./pytest.ts";
import { rspec } from "./rspec.ts";
import { rspecJson } from "./rspec-json.ts";
import { linesOf } from "./shared/lines.ts";
import { type PackageOutput, packageOutputs } from "./shared/package-outputs.ts";
import type { ReportParser, TestReport } from "./shared/report.ts";
import { surefire } from "./surefire.ts";
import { tap } from "./tap.ts";
import { tapSpec } from "./tap-spec.ts";
import { testUnit } from "./test-unit.ts";
import { trx } from "./trx.ts";
import { unittest } from "./unittest.ts";
import { unity } from "./unity.ts";
import { uvu } from "./uvu.ts";
import { vitest } from "./vitest.ts";

// Most informative format first: the order decides between two that end on the same line.
const PARSERS: readonly ReportParser[] = [
  jestJson,
  mochaJson,
  rspecJson,
  vitest,
  jest,
  cargoTest,
  goTest,
  nodeTest,
  pytest,
  unittest,
  phpunit,
  rspec,
  minitest,
  testUnit,
  mocha,
  ava,
  uvu,
  tapSpec,
  jasmine,
  bun,
  googletest,
  catch2,
  doctest,
  unity,
  ctest,
  automake,
  meson,
  prove,
  junitConsole,
  surefire,
  gradle,
  dotnet,
  trx,
  junitXml,
  tap,
];

const FILE = /^\S+\.[cm]?[jt]sx?$/;

interface ParserMatch {
  readonly parse: ReportParser;
  readonly report: TestReport;
}

/** The last report wins: a test may print another runner's report, but the runner itself prints last. */
export function recognise(output: string): TestReport | undefined {
  return findReport(output)?.report;
}

/** Reads a report file: JUnit XML, trx, JSON, or the saved output of any runner. */
export function readReport(text: string): TestReport | undefined {
  const isXml = text.replace("\ufeff", "").trimStart().startsWith("<");
  if (!isXml) return recognise(text);
  const xml = plain(text);
  return trx(xml) ?? junitXml(xml);
}

/**
 * Parses both streams. Some runners print counts on one and failures on the other (vitest, `go test` of a package that
 * does not compile), so the parser that found a report also reads both joined, and the more complete report wins. Two
 * whole reports of one runner are never joined: they are one report printed twice.
 */
export function recogniseStreams(
  stdout: string,
  stderr: string,
  packages = packageOutputs(plain(stdout), plain(stderr)),
): TestReport | undefined {
  return (packages && readPackages(packages)) ?? readProgram(stdout, stderr);
}

/** Parses every package separately. If the workspace runner has its own report, a test printed the others. */
function readPackages([runner, ...packages]: readonly PackageOutput[]): TestReport | undefined {
  const own = runner && readProgram(runner.stdout, runner.stderr);
  return own ?? joinPackages(packages, readProgram, runner?.stdout ?? "");
}

function readProgram(stdout: string, stderr: string): TestReport | undefined {
  const report = readStreams(stdout, stderr);
  return report && withCrashes(report, plain(stderr));
}

function readStreams(stdout: string, stderr: string): TestReport | undefined {
  const [out, err] = [findReport(stdout), findReport(stderr)];
  const match = out ?? err;
  if (match === undefined) return undefined;
  if (out && err && out.parse === err.parse) return moreComplete(out.report, err.report);
  // The stream with the summary comes last, because nothing below a summary belongs to it.
  const joined = plain(out ? `${stderr}\n${stdout}` : `${stdout}\n${stderr}`);
  return moreComplete(match.report, match.parse(joined, linesOf(joined)));
}

function findReport(output: string): ParserMatch | undefined {
  const text = plain(output);
  const lines = linesOf(text);
  const all = PARSERS.flatMap((parse): readonly ParserMatch[] => {
    const report = parse(text, lines);
    return report === undefined ? [] : [{ parse, report }];
  });
  return all.reduce<ParserMatch | undefined>(
    (last, each) => (last === undefined || each.report.endsAt > last.report.endsAt ? each : last),
    undefined,
  );
}

/** Compares locations before names: one compile error says more than a list of all packages that it breaks. */
function moreComplete(one: TestReport, other: TestReport | undefined): TestReport {
  if (other === undefined) return one;
  const more = countLocations(other) - countLocations(one);
  return more > 0 || (more === 0 && other.failures.length > one.failures.length) ? other : one;
}

function countLocations({ failures }: TestReport): number {
  return failures.filter(({ location }) => location !== undefined).length;
}

/** Explains why a test file did not load: some runners (node-tap) only say that it failed; the crash is on stderr. */
function withCrashes(report: TestReport, stderr: string): TestReport {
  const files = report.failures.filter(isUnexplained).length;
  if (files === 0) return report;
  const crashes = findDiagnostics(stderr)?.failures ?? [];
  const byFile = new Map(crashes.map((crash) => [crash.location?.replace(/:\d+$/, ""), crash]));
  // The crash may be in another file, so match it without a name only if there is exactly one file and one crash.
  const only = files === 1 && crashes.length === 1 ? crashes[0] : undefined;
  const failures = report.failures.map((each) => {
    const crash = isUnexplained(each) ? (byFile.get(each.id) ?? only) : undefined;
    return crash === undefined ? each : { ...crash, ...(each.id !== undefined && { id: each.id }) };
  });
  return { ...report, failures };
}

function isUnexplained({ id, message, location }: Failure): boolean {
  return message === "failed" && location === undefined && FILE.test(id ?? "");
}
