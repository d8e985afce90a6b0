// Combines the reports of a monorepo's packages and prefixes every failing test with its package.
import type { Failure } from "#spec/verdict";
import { findDiagnostics } from "./diagnostics/find-diagnostics.ts";
import { failure } from "./shared/failure.ts";
import { inFolder, type PackageOutput } from "./shared/package-outputs.ts";
import { addedUp, countsOf, type TestReport } from "./shared/report.ts";

const TURBO = /^\s*Tasks: {1,9}\d{1,9} successful, \d{1,9} total$/m;
const UNCOUNTED = "turbo may leave out the output of packages that pass";

type Read = (stdout: string, stderr: string) => TestReport | undefined;

/** Undefined when no package has a test report. `said` is the workspace runner's own output. */
export function joinPackages(
  packages: readonly PackageOutput[],
  read: Read,
  said: string,
): TestReport | undefined {
  const reports = packages.map((each) => ({ each, report: read(each.stdout, each.stderr) }));
  const hasFailedTests = reports.some(({ report }) => report !== undefined && report.counts.failed > 0);
  const told = reports.flatMap(({ each, report }): readonly TestReport[] => {
    if (report === undefined) return hasFailedTests ? brokenPackage(each) : [];
    return [{ ...report, failures: report.failures.map((found) => inPackage(found, each)) }];
  });
  const all = addedUp(told);
  if (all === undefined) return undefined;
  const format = [...new Set(told.map((each) => each.format))].join(", ");
  return { ...all, format, ...(TURBO.test(said) && { uncounted: { why: UNCOUNTED } }) };
}

/** Compile errors of a package without test results, used when other packages have failing tests. */
function brokenPackage(each: PackageOutput): readonly TestReport[] {
  const found = findDiagnostics(`${each.stdout}\n${each.stderr}`)?.failures ?? [];
  if (found.length === 0) return [];
  const failures = found.map((one) => inPackage(one, each));
  const counts = countsOf(0, failures.length, 0, failures.length);
  return [{ format: "diagnostics", counts, failures, endsAt: 0 }];
}

function inPackage({ id, location, ...rest }: Failure, { name, folder }: PackageOutput): Failure {
  return failure({
    ...rest,
    id: id === undefined || name === "" ? id : `${name} > ${id}`,
    location: location === undefined ? undefined : inFolder(location, folder),
  });
}
