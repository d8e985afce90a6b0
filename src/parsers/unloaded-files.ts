// Explains why a test file did not load: some runners (node-tap) only say that it failed; the crash is on stderr.
import type { Failure } from "#spec/verdict";
import { findDiagnostics } from "./diagnostics/find-diagnostics.ts";
import type { TestReport } from "./shared/report.ts";

const FILE = /^\S+\.[cm]?[jt]sx?$/;

export function withCrashes(report: TestReport, stderr: string): TestReport {
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
