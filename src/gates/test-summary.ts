// Summarises a test report in words.

import type { Packages, TestReport } from "#parsers/shared/report";
import { ranTests } from "#spec/verdict";
import { counted } from "#text/format";

export function describePassed({ counts, uncounted }: TestReport): string {
  if (!uncounted) return `${counted(counts.passed, "test")} passed`;
  return uncounted.packages ? "all packages pass" : "all tests pass";
}

export function describeFailed({ counts, uncounted }: TestReport): string {
  if (!uncounted) return `${counts.failed} of ${counted(ranTests(counts), "test")} failed`;
  const { packages, why } = uncounted;
  const told = packages ? describePackages(packages) : `${counted(counts.failed, "test")} failed`;
  return `${told} (${why})`;
}

function describePackages({ failed, failedTests, broken }: Packages): string {
  const tests = `${counted(failedTests, "test")} failed in ${counted(failed, "package")}`;
  const uncompiled = counted(broken, "package does not compile", "packages do not compile");
  return [...(failed > 0 ? [tests] : []), ...(broken > 0 ? [uncompiled] : [])].join(", ");
}
