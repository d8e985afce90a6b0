// Parses RSpec's JSON formatter.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { fieldsOf, type JsonObject, jsonObjects, listOf, numberOf, textOf } from "./json-objects.ts";
import { failure } from "./shared/failure.ts";
import { linesOf } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";

const BROKEN = /An error occurred (?:while loading (\S+?)\.?|in [^\n]+)(?: - Did you mean\?)?\n/;

export const rspecJson: ReportParser = (text) => {
  const objects = jsonObjects(text, "summary_line").filter(({ fields }) => Array.isArray(fields.examples));
  const last = objects.at(-1);
  if (last === undefined) return undefined;
  return report("rspec json", objects.map(runPart), last.endsAt);
};

function runPart({ fields }: JsonObject): RunPart {
  const examples = listOf(fields.examples).map(fieldsOf);
  const failed = examples.filter(({ status }) => status === "failed");
  const pending = examples.filter(({ status }) => status === "pending").length;
  const errors = numberOf(fieldsOf(fields.summary).errors_outside_of_examples_count);
  const broken =
    errors > 0 ? listOf(fields.messages).flatMap((message) => brokenIn(textOf(message) ?? "")) : [];
  const passed = examples.length - failed.length - pending;
  return {
    counts: countsOf({ passed, failed: failed.length + errors, skipped: pending, extra: errors }),
    failures: [...failed.map(toFailure), ...broken],
  };
}

function brokenIn(message: string): readonly Failure[] {
  const [, file] = BROKEN.exec(message) ?? [];
  if (file === undefined) return [];
  const frames = linesOf(message).filter((line) => /^\s*# \S/.test(line));
  return [failure({ id: short(file), message: message.trim(), location: locate(frames.map(short)) })];
}

function toFailure(example: Readonly<Record<string, unknown>>): Failure {
  const exception = fieldsOf(example.exception);
  const message = textOf(exception.message) ?? "";
  const frames = listOf(exception.backtrace).flatMap((frame) => textOf(frame) ?? []);
  const file = textOf(example.file_path);
  const declared = file === undefined ? undefined : `${short(file)}:${numberOf(example.line_number)}`;
  return failure({
    id: textOf(example.full_description),
    message,
    location: locate(frames.map((frame) => frame.slice(0, 1_000))) ?? declared,
    ...difference(linesOf(message)),
  });
}

function short(path: string): string {
  return path.replace(/^(# )?\.\//, "$1");
}
