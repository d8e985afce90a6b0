// Parses the JSON reporter of mocha.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { fieldsOf, type JsonObject, jsonObjects, listOf, numberOf, textOf } from "./json-objects.ts";
import { isHook } from "./mocha.ts";
import { failure } from "./shared/failure.ts";
import { linesOf } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";

export const mochaJson: ReportParser = (text) => {
  const objects = jsonObjects(text, "stats").filter(({ fields }) => Array.isArray(fields.failures));
  const last = objects.at(-1);
  if (last === undefined) return undefined;
  return report("mocha json", objects.map(runPart), last.endsAt);
};

function runPart({ fields }: JsonObject): RunPart {
  const stats = fieldsOf(fields.stats);
  const failed = listOf(fields.failures).map(fieldsOf);
  const hooks = failed.filter(({ title }) => isHook(textOf(title) ?? "")).length;
  return {
    counts: countsOf({
      passed: numberOf(stats.passes),
      failed: failed.length,
      skipped: numberOf(stats.pending),
      extra: hooks,
    }),
    failures: failed.map(toFailure),
  };
}

function toFailure(test: Readonly<Record<string, unknown>>): Failure {
  const error = fieldsOf(test.err);
  const id = [test.file, test.fullTitle].flatMap((part) => textOf(part) || []).join(" > ");
  return failure({
    id: id || undefined,
    message: textOf(error.message),
    location: locate(linesOf(textOf(error.stack) ?? "").filter((line) => /^\s+at /.test(line))),
    expected: textOf(error.expected),
    actual: textOf(error.actual),
  });
}
