// Parses JUnit XML in all its dialects. Counts only test cases, because the counts in suite attributes are often wrong.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { linesOf } from "./shared/lines.ts";
import { countsOf, report, type TestReport } from "./shared/report.ts";
import { type XmlToken, xmlTokens } from "./xml-tokens.ts";

interface TestCase {
  readonly attributes: ReadonlyMap<string, string>;
  readonly suites: readonly string[];
  outcome: "passed" | "failed" | "skipped";
  message: string | undefined;
  text: string;
}

interface Reading {
  readonly cases: TestCase[];
  readonly suites: string[];
  current: TestCase | undefined;
  /** Inside <failure> or <error>, whose text is the reason. */
  explaining: boolean;
  /** Index after the last closed root element; -1 while one is open, because a partial report does not count. */
  end: number;
}

type Opening = Extract<XmlToken, { type: "open" }>;

const ROOT = /<testsuites?[\s>/]/;
const LONGEST_TEXT = 8_000;
const DEEPEST = 20;
const IDENTIFIER = /^[\w$.]+$/;

export const junitXml = (text: string): TestReport | undefined => {
  const start = text.search(ROOT);
  if (start < 0) return undefined;
  const reading: Reading = { cases: [], suites: [], current: undefined, explaining: false, end: -1 };
  let depth = 0;
  for (const token of xmlTokens(text, start)) {
    read(reading, token);
    if (token.type === "text" || !token.name.startsWith("testsuite")) continue;
    depth += token.type === "close" ? -1 : token.empty ? 0 : 1;
    if (depth === 0) reading.end = token.type === "close" ? token.end : start;
    else reading.end = -1;
  }
  if (reading.end < 0) return undefined;
  const failures = reading.cases.filter((each) => each.outcome === "failed").map(toFailure);
  const skipped = reading.cases.filter((each) => each.outcome === "skipped").length;
  const counts = countsOf({
    passed: reading.cases.length - failures.length - skipped,
    failed: failures.length,
    skipped,
  });
  return report("junit", [{ counts, failures }], text.slice(0, reading.end).split("\n").length - 1);
};

function read(reading: Reading, token: XmlToken): void {
  switch (token.type) {
    case "open":
      open(reading, token);
      break;
    case "close":
      close(reading, token.name);
      break;
    case "text":
      explain(reading, token.text);
  }
}

function explain({ current, explaining }: Reading, text: string): void {
  if (!explaining || current === undefined || current.text.length >= LONGEST_TEXT) return;
  current.text += text.slice(0, LONGEST_TEXT);
}

function open(reading: Reading, { name, attributes, empty }: Opening): void {
  const current = reading.current;
  if (name === "testsuite" && !empty) reading.suites.push(attributes.get("name") ?? "");
  else if (name === "testcase") {
    reading.current = {
      attributes,
      suites: reading.suites.slice(0, DEEPEST),
      outcome: "passed",
      message: undefined,
      text: "",
    };
    if (empty) close(reading, name);
  } else if (current !== undefined && (name === "failure" || name === "error")) {
    // PHPUnit calls a test without assertions risky and lets it pass.
    current.outcome = attributes.get("type")?.endsWith("RiskyTestError") ? "skipped" : "failed";
    current.message ??= attributes.get("message");
    reading.explaining = !empty;
  } else if (current?.outcome === "passed" && name === "skipped") current.outcome = "skipped";
}

function close(reading: Reading, name: string): void {
  if (name === "testsuite") reading.suites.pop();
  else if (name === "failure" || name === "error") reading.explaining = false;
  else if (name === "testcase" && reading.current !== undefined) {
    reading.cases.push(reading.current);
    reading.current = undefined;
  }
}

function toFailure(testCase: TestCase): Failure {
  const { attributes, message, text } = testCase;
  const lines = linesOf(text);
  const [file, line] = [attributes.get("file"), attributes.get("line")];
  return failure({
    id: identity(testCase),
    message: message || text,
    location: file === undefined || line === undefined ? locate(lines) : `${file}:${line}`,
    ...difference(lines),
  });
}

// "package.Class.name" if the class name is code; otherwise suites and titles, joined as the runners print them.
function identity({ attributes, suites }: TestCase): string {
  const name = attributes.get("name") ?? "";
  const className = attributes.get("classname") ?? "";
  // node:test writes "test" or the innermost suite instead of a class.
  if (className === "" || className === "test" || suites.length > 1) return [...suites, name].join(" > ");
  const isCode = IDENTIFIER.test(className) && (className.includes(".") || className !== suites.at(-1));
  return isCode ? `${className}.${name}` : `${className} > ${name}`;
}
