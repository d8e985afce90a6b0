// Combines the reports of a monorepo's packages and prefixes every failing test with its package.
import type { Failure } from "#spec/verdict";
import { findDiagnostics } from "./diagnostics/find-diagnostics.ts";
import { failure } from "./shared/failure.ts";
import { inFolder, type PackageOutput } from "./shared/package-outputs.ts";
import { countsOf, mergeReports, type TestReport } from "./shared/report.ts";

const TURBO = /^\s*Tasks: {1,9}\d{1,9} successful, \d{1,9} total$/m;
const UNCOUNTED = "turbo may leave out the output of packages that pass";

type Read = (stdout: string, stderr: string) => TestReport | undefined;

/** Undefined when no package has a test report. `output` is the workspace runner's own output. */
export function joinPackages(
  packages: readonly PackageOutput[],
  read: Read,
  output: string,
): TestReport | undefined {
  const reports = packages.map((each) => ({ each, report: read(each.stdout, each.stderr) }));
  const hasFailedTests = reports.some(({ report }) => report !== undefined && report.counts.failed > 0);
  const readable = reports.flatMap(({ each, report }): readonly TestReport[] => {
    if (report === undefined) return hasFailedTests ? brokenPackage(each) : [];
    return [{ ...report, failures: report.failures.map((one) => inPackage(one, each)) }];
  });
  const all = mergeReports(readable);
  if (all === undefined) return undefined;
  const format = [...new Set(readable.map((each) => each.format))].join(", ");
  return { ...all, format, ...(TURBO.test(output) && { uncounted: { why: UNCOUNTED } }) };
}

/** Compile errors of a package without test results, used when other packages have failing tests. */
function brokenPackage(each: PackageOutput): readonly TestReport[] {
  const errors = findDiagnostics(`${each.stdout}\n${each.stderr}`)?.failures ?? [];
  if (errors.length === 0) return [];
  const failures = errors.map((one) => inPackage(one, each));
  const counts = countsOf({ passed: 0, failed: failures.length, skipped: 0, extra: failures.length });
  return [{ format: "diagnostics", counts, failures, endsAt: 0 }];
}

function inPackage({ id, location, ...rest }: Failure, { name, folder }: PackageOutput): Failure {
  return failure({
    ...rest,
    id: id === undefined || name === "" ? id : `${name} > ${id}`,
    location: location === undefined ? undefined : inFolder(location, folder),
  });
}
