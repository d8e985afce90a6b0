// Parses the JSON reporter of jest, also used by vitest. A file that failed without a failed test counts as one.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { fieldsOf, type JsonObject, jsonObjects, listOf, textOf } from "./json-objects.ts";
import { failure } from "./shared/failure.ts";
import { dedent, linesOf, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";

const SKIPPED = new Set(["skipped", "pending", "todo", "disabled"]);
const UNLOADED = /^\s*● Test suite failed to run\s*/;
const FRAME = /^\s+at /;
const CODE_OR_FRAME = /^\s+(?:> *)?\d+ \||^\s+at /;

export const jestJson: ReportParser = (text) => {
  const objects = jsonObjects(text, "numTotalTests").filter(({ fields }) =>
    Array.isArray(fields.testResults),
  );
  const last = objects.at(-1);
  if (last === undefined) return undefined;
  return report("jest json", objects.map(runPart), last.endsAt);
};

function runPart({ fields }: JsonObject): RunPart {
  const parts = listOf(fields.testResults).map((each) => filePart(fieldsOf(each)));
  const of = (key: "passed" | "failed" | "skipped") => parts.reduce((sum, part) => sum + part[key], 0);
  const extra = parts.filter((part) => part.broken).length;
  return {
    counts: countsOf({ passed: of("passed"), failed: of("failed") + extra, skipped: of("skipped"), extra }),
    failures: parts.flatMap((part) => part.failures),
  };
}

interface FilePart extends Record<"passed" | "failed" | "skipped", number> {
  /** The file failed, although none of its tests did. */
  readonly broken: boolean;
  readonly failures: readonly Failure[];
}

function filePart(file: Readonly<Record<string, unknown>>): FilePart {
  const name = textOf(file.name) ?? "";
  const tests = listOf(file.assertionResults).map(fieldsOf);
  const failures = tests.filter(({ status }) => status === "failed").map((test) => toFailure(name, test));
  const skipped = tests.filter(({ status }) => SKIPPED.has(textOf(status) ?? "")).length;
  const failed = failures.length;
  const broken = file.status === "failed" && failed === 0;
  if (broken) failures.push(unloaded(name, textOf(file.message) ?? ""));
  return { passed: tests.length - failed - skipped, failed, skipped, broken, failures };
}

function unloaded(name: string, message: string): Failure {
  const lines = linesOf(message.replace(UNLOADED, ""));
  return failure({
    id: name,
    message: dedent(until(lines, CODE_OR_FRAME)),
    location: locate(lines.filter((line) => FRAME.test(line))),
  });
}

function toFailure(file: string, test: Readonly<Record<string, unknown>>): Failure {
  const titles = [...listOf(test.ancestorTitles), test.title].flatMap((title) => textOf(title) ?? []);
  const lines = linesOf(textOf(listOf(test.failureMessages)[0]) ?? "");
  const error = until(lines, FRAME);
  return failure({
    id: [file, ...titles].filter(Boolean).join(" > "),
    message: until(error, /^(?:- Expected|Expected: )/).join("\n"),
    location: locate(lines.filter((line) => FRAME.test(line))),
    ...difference(error),
  });
}
