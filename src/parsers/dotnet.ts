// Parses the console output of `dotnet test`: one line of counts per test assembly, all added up.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { dedent, linesOf, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const ASSEMBLY =
  /^(?:Passed|Failed|Skipped)! {1,2}- Failed: +(\d{1,9}), Passed: +(\d{1,9}), Skipped: +(\d{1,9}), Total: +\d{1,9}, Duration: [^-]{1,40} - (\S.*)$/;
const ONE_LINE =
  /^\s*Test summary: total: (\d{1,9}), failed: (\d{1,9}), succeeded: (\d{1,9}), skipped: (\d{1,9}), duration: \S/;
const TOTAL = /^(?:Total tests|\s{1,4}total): (\d{1,9})$/;
const FAILED = /^\s{1,4}Failed (\S.*) \[[^\]]{1,40}\]$|^failed (\S.*) \([\d.,a-z ]{1,30}\)$/;
const MESSAGE = /^\s*Error Message:$/;
const STACK = /^\s*Stack Trace:$|^\s+at \S/;
const AFTER =
  /^\s{1,4}(?:Passed|Failed|Skipped) \S|^\s*Standard (?:Output|Error) Messages:$|^\s*(?:Standard|Error) output$/;

export const dotnet: ReportParser = (_, lines) => {
  const summary = assemblies(lines) ?? summaryIn(lines);
  if (summary === undefined) return undefined;
  const { counts, endsAt } = summary;
  return report("dotnet test", [{ counts, failures: failuresIn(lines.slice(0, endsAt)) }], endsAt);
};

interface Summary {
  readonly counts: TestCounts;
  readonly endsAt: number;
}

// The later of two lines about one assembly wins.
function assemblies(lines: readonly string[]): Summary | undefined {
  const projects = new Map<string, readonly number[]>();
  let endsAt = -1;
  for (const [at, line] of lines.entries()) {
    const [, failed, passed, skipped, name] = ASSEMBLY.exec(line) ?? [];
    if (name === undefined) continue;
    projects.set(name, [passed, failed, skipped].map(Number));
    endsAt = at;
  }
  if (endsAt < 0) return undefined;
  const of = (index: number) =>
    [...projects.values()].reduce((sum, numbers) => sum + (numbers[index] ?? 0), 0);
  return { counts: countsOf({ passed: of(0), failed: of(1), skipped: of(2) }), endsAt };
}

// Formats of other loggers: one line, or one line per count.
function summaryIn(lines: readonly string[]): Summary | undefined {
  const at = lines.findLastIndex((line) => ONE_LINE.test(line) || TOTAL.test(line));
  if (at < 0) return undefined;
  const [, , failed, passed, skipped] = ONE_LINE.exec(lines[at] ?? "") ?? [];
  if (passed !== undefined)
    return {
      counts: countsOf({ passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }),
      endsAt: at,
    };
  const below = lines.slice(at + 1, at + 5);
  const of = (name: RegExp) => Number(below.map((line) => name.exec(line)?.[1]).find(Boolean) ?? 0);
  const counts = countsOf({
    passed: of(/^\s{1,8}(?:Passed|succeeded): (\d{1,9})$/),
    failed: of(/^\s{1,8}[Ff]ailed: (\d{1,9})$/),
    skipped: of(/^\s{1,8}[Ss]kipped: (\d{1,9})$/),
  });
  // Tests may print "Total tests: 5" too, so the other counts must add up to it.
  return counts.total === Number(TOTAL.exec(lines[at] ?? "")?.[1]) ? { counts, endsAt: at + 4 } : undefined;
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  const starts = body.flatMap((line, at) => (FAILED.test(line) ? [at] : []));
  return starts.map((at, index) => {
    const [, name, other] = FAILED.exec(body[at] ?? "") ?? [];
    const entry = body.slice(at + 1, starts[index + 1] ?? body.length);
    const error = until(entry, AFTER).filter((line) => !MESSAGE.test(line));
    return dotnetFailure(
      name ?? other ?? "",
      dedent(until(error, STACK)),
      error.filter((line) => /^\s+at \S/.test(line)).join("\n"),
    );
  });
}

/** Parses a failure of xUnit, NUnit or MSTest, from the console or a trx file. */
export function dotnetFailure(id: string, message: string, stack: string): Failure {
  return failure({
    id,
    message,
    location: locate(linesOf(stack).map((line) => line.replace(/:line (\d{1,9})/, ":$1"))),
    ...difference(linesOf(message)),
  });
}
