// Parses AVA's console reporter: a line per test, a rule, the failures, a rule, the counts. AVA prints the number of
// passed tests only if none failed, so their lines are counted instead. Expected failures count as passed.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { linesWithSign } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const RULE = /^ {2}─$/;
const NUMBER =
  /^ {2}(\d{1,9}) (test|known|hook|uncaught|unhandled)s? ?(failed|passed|skipped|todo|failure|exception|rejection)s?$/;
const PASSED = /^ {2}✔ (\S.*)$/;
const FAILED = /^ {2}(?:✘ \[fail\]:|✖) (\S.*)$/;
const BROKEN = /^ {2}(?:Uncaught exception|Unhandled rejection) in (\S+)$/;
const CODE = /^ {2,8}\d+: /;
const PLACE = /^ {2}(?:› )?\S.*:\d+/;
const FRAME = /^ {2}› |^ {4,}at /;
const DIFFERENCE = /^ {2}Difference \(- actual, \+ expected\):$/;

export const ava: ReportParser = (_, lines) => {
  const start = lines.findLastIndex(
    (line, at) => RULE.test(line) && lines[at + 1] === "" && NUMBER.test(lines[at + 2] ?? ""),
  );
  if (start < 0) return undefined;
  const numbers = until(lines.slice(start + 2), /^(?! {2}\d)/);
  const body = lines.slice(0, start);
  const rule = body.findIndex((line) => RULE.test(line));
  const tree = rule < 0 ? body : body.slice(0, rule);
  const failures = [...failuresIn(tree, rule < 0 ? [] : body.slice(rule)), ...brokenIn(tree)];
  return report("ava", [{ counts: countsIn(numbers, tree), failures }], start + 1 + numbers.length);
};

function countsIn(numbers: readonly string[], tree: readonly string[]): TestCounts {
  const byName = new Map<string, number>(
    numbers.map((line) => {
      const [, digits, what, state] = NUMBER.exec(line) ?? [];
      return [`${what} ${state}`, Number(digits)] as const;
    }),
  );
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (byName.get(name) ?? 0), 0);
  const extra = of("hook failed", "uncaught exception", "unhandled rejection");
  const passed = byName.get("test passed");
  return countsOf({
    passed:
      passed === undefined ? tree.filter((line) => PASSED.test(line)).length : passed + of("known failure"),
    failed: of("test failed") + extra,
    skipped: of("test skipped", "test todo"),
    extra,
  });
}

// Failures come in tree order, each under its title; in the tree, a reason may follow the title.
function failuresIn(tree: readonly string[], details: readonly string[]): readonly Failure[] {
  const failed = tree.flatMap((line) => FAILED.exec(line)?.[1] ?? []);
  const starts: number[] = [];
  for (const [at, line] of details.entries()) {
    const isTop = /^ {2}\S/.test(line) && details[at - 1] === "" && details[at + 1] === "";
    if (isTop && failed[starts.length]?.startsWith(line.trim())) starts.push(at);
  }
  return failed.map((title, index) => {
    const start = starts[index];
    if (start === undefined) return failure({ id: titlePath(title), message: "failed" });
    const section = details.slice(start + 1, starts[index + 1] ?? details.length);
    return toFailure(titlePath(details[start]?.trim() ?? ""), section);
  });
}

function brokenIn(tree: readonly string[]): readonly Failure[] {
  const starts = tree.flatMap((line, at) => (BROKEN.test(line) ? [at] : []));
  return starts.map((at, index) => {
    const [, file = ""] = BROKEN.exec(tree[at] ?? "") ?? [];
    const section = until(tree.slice(at + 1, starts[index + 1] ?? tree.length), /^ {2}[✔✘✖-] \S/);
    return toFailure(file, section);
  });
}

function titlePath(title: string): string {
  return title.split(" › ").join(" > ");
}

function toFailure(id: string, section: readonly string[]): Failure {
  const error = section.filter((line) => !CODE.test(line));
  const [first = ""] = error.filter((line) => line.trim() !== "");
  const hasPlace = PLACE.test(first) && !FRAME.test(first);
  const text = until(hasPlace ? error.slice(error.indexOf(first) + 1) : error, FRAME);
  const at = text.findIndex((line) => DIFFERENCE.test(line));
  const diff = at < 0 ? [] : text.slice(at + 1);
  return failure({
    id,
    message: dedent(text),
    location: locate([...(hasPlace ? [first] : []), ...error.filter((line) => FRAME.test(line))]),
    ...(at >= 0 && { expected: linesWithSign(diff, "  +"), actual: linesWithSign(diff, "  -") }),
  });
}
