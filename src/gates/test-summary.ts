// What a test report amounts to, in words.
import { counted } from "#spec/format";
import { ranTests } from "#spec/verdict";
import type { Packages, TestReport } from "./reports/report.ts";

export function describePassed({ counts, packages }: TestReport): string {
  return packages ? "all packages pass" : `${counted(counts.passed, "test")} passed`;
}

export function describeFailed({ counts, packages }: TestReport): string {
  return packages
    ? describePackages(packages)
    : `${counts.failed} of ${counted(ranTests(counts), "test")} failed`;
}

function describePackages({ failed, failedTests, broken }: Packages): string {
  const tests = `${counted(failedTests, "test")} failed in ${counted(failed, "package")}`;
  const uncompiled = counted(broken, "package does not compile", "packages do not compile");
  const told = [...(failed > 0 ? [tests] : []), ...(broken > 0 ? [uncompiled] : [])].join(", ");
  return `${told} (go test does not count passing tests without -v)`;
}
