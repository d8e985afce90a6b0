// Parses `cargo test`: one result per test binary, all added up.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";
import { announcedSpans, type Span } from "./spans.ts";

const RUNNING = /^running \d+ tests?$/;
const RESULT =
  /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured;/;
const SECTION = /^---- (.+) stdout ----$/;
const PANIC = /panicked at \S+:\d+:\d+:?$/;
/** rustc before 1.73 quotes the message, which may have several lines, and prints the location after it. */
const OLD_PANIC = /panicked at '/;
const OLD_PANIC_END = /', (\S+:\d+:\d+)$/;
const AFTER_MESSAGE = /^stack backtrace:$|^note: |^failures:$/;

export const cargoTest: ReportParser = (_, lines) => {
  const spans = announcedSpans(
    lines,
    (line) => RUNNING.test(line),
    (line) => RESULT.test(line),
  );
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  return report(
    "cargo test",
    spans.map((span) => runPart(lines, span)),
    last.to,
  );
};

function runPart(lines: readonly string[], span: Span): RunPart {
  const [passed = 0, failed = 0, ignored = 0, measured = 0] = (RESULT.exec(lines[span.to] ?? "") ?? [])
    .slice(1)
    .map(Number);
  const body = lines.slice(span.from, span.to);
  const outputs = sections(body);
  const failures = failedNames(body).map((name) => toFailure(name, outputs.get(name) ?? []));
  return { counts: countsOf({ passed: passed + measured, failed, skipped: ignored }), failures };
}

// Reads the list at the end of a failed run, the only part that is the same with and without --quiet.
function failedNames(body: readonly string[]): readonly string[] {
  const start = body.lastIndexOf("failures:");
  if (start < 0) return [];
  return until(body.slice(start + 1), /^(?! {4}\S)/).map((line) => line.trim());
}

function sections(body: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const outputs = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of body) {
    const [, name] = SECTION.exec(line) ?? [];
    if (name !== undefined) {
      current = [];
      outputs.set(name, current);
    } else current?.push(line);
  }
  return outputs;
}

interface Panic {
  readonly message: readonly string[];
  /** The line with the location. */
  readonly location: string;
}

function panicIn(output: readonly string[]): Panic | undefined {
  const at = output.findIndex((line) => PANIC.test(line) || OLD_PANIC.test(line));
  const [first = ""] = output.slice(at);
  if (at < 0) return undefined;
  const below = until(output.slice(at + 1), AFTER_MESSAGE);
  if (!OLD_PANIC.test(first)) return { message: below, location: first };
  const quoted = [first.slice(first.search(OLD_PANIC) + "panicked at '".length), ...below];
  const end = quoted.findIndex((line) => OLD_PANIC_END.test(line));
  const [, location = ""] = OLD_PANIC_END.exec(quoted[end] ?? "") ?? [];
  return {
    message: quoted.slice(0, end < 0 ? undefined : end + 1).map((line) => line.replace(OLD_PANIC_END, "")),
    location,
  };
}

function toFailure(id: string, output: readonly string[]): Failure {
  const panic = panicIn(output);
  const text = panic?.message ?? until(output, /^failures:$/);
  const [left, right] = ["left", "right"].map((side) => sideOf(text, side));
  return failure({
    id,
    message: text.join("\n"),
    location: locate(panic ? [panic.location] : output),
    // Assumes the common order assert_eq!(actual, expected); Rust itself knows only left and right.
    ...(left === undefined || right === undefined ? {} : { expected: right, actual: left }),
  });
}

function sideOf(lines: readonly string[], side: string): string | undefined {
  const line = lines.find((each) => each.trimStart().startsWith(`${side}: `));
  return line
    ?.trimStart()
    .slice(side.length + 2)
    .replace(/^`(.*)`,?$/, "$1");
}
