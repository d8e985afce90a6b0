// Why a test file did not load. Some runners (node-tap) say only that it failed; Node.js printed the crash on stderr.
import type { Failure } from "#spec/verdict";
import { findDiagnostics } from "./diagnostics/find-diagnostics.ts";
import type { TestReport } from "./shared/report.ts";

const FILE = /^\S+\.[cm]?[jt]sx?$/;

export function withCrashes(report: TestReport, stderr: string): TestReport {
  const files = report.failures.filter(isUnexplained).length;
  if (files === 0) return report;
  const crashes = findDiagnostics(stderr)?.failures ?? [];
  const byFile = new Map(crashes.map((crash) => [crash.location?.replace(/:\d+$/, ""), crash]));
  // A file may fail to load because of another one: whose crash that is can be told only where there is one of each.
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
