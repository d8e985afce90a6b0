// Parses the results file of `dotnet test --logger trx`. Inner results count instead of their test.
import type { Failure } from "#spec/verdict";
import { dotnetFailure } from "./dotnet.ts";
import { countsOf, report, type TestReport } from "./shared/report.ts";
import { type XmlToken, xmlTokens } from "./xml-tokens.ts";

interface Result {
  readonly attributes: ReadonlyMap<string, string>;
  message: string;
  stack: string;
  /** Has inner results, which count instead, unless the test failed and none of them did. */
  isParent: boolean;
  hasFailedChild: boolean;
}

interface Reading {
  readonly results: Result[];
  readonly open: Result[];
  /** Definition id to the class of the test. */
  readonly classes: Map<string, string>;
  definition: string | undefined;
  field: "message" | "stack" | undefined;
  end: number;
}

type Opening = Extract<XmlToken, { type: "open" }>;

const ROOT = /<TestRun[\s>]/;
const LONGEST_TEXT = 8_000;
const PASSED = new Set(["Passed", "Completed", "Warning", "PassedButRunAborted"]);
const SKIPPED = new Set(["NotExecuted", "NotRunnable", "Inconclusive", "Pending", "InProgress"]);

export const trx = (text: string): TestReport | undefined => {
  const start = text.search(ROOT);
  if (start < 0) return undefined;
  const reading: Reading = {
    results: [],
    open: [],
    classes: new Map(),
    definition: undefined,
    field: undefined,
    end: -1,
  };
  for (const token of xmlTokens(text, start)) read(reading, token);
  // A partial report does not count.
  if (reading.end < 0) return undefined;
  const counted = reading.results.filter(
    (each) => !each.isParent || (hasFailed(each) && !each.hasFailedChild),
  );
  const failures = counted.filter(hasFailed).map((each) => toFailure(each, reading.classes));
  const skipped = counted.filter((each) => SKIPPED.has(outcomeOf(each))).length;
  const extra = counted.filter((each) => each.isParent).length;
  const counts = countsOf({
    passed: counted.length - failures.length - skipped,
    failed: failures.length,
    skipped,
    extra,
  });
  return report("trx", [{ counts, failures }], text.slice(0, reading.end).split("\n").length - 1);
};

// The schema omits the outcome "Error".
function outcomeOf({ attributes }: Result): string {
  return attributes.get("outcome") ?? "Error";
}

function hasFailed(result: Result): boolean {
  const outcome = outcomeOf(result);
  return !PASSED.has(outcome) && !SKIPPED.has(outcome);
}

function read(reading: Reading, token: XmlToken): void {
  if (token.type === "text") explain(reading, token.text);
  else if (token.type === "open") {
    open(reading, token);
    if (token.empty) close(reading, token.name, -1);
  } else close(reading, token.name, token.end);
}

function explain({ open, field }: Reading, text: string): void {
  const result = open.at(-1);
  if (result === undefined || field === undefined || result[field].length >= LONGEST_TEXT) return;
  result[field] += text.slice(0, LONGEST_TEXT);
}

function open(reading: Reading, { name, attributes }: Opening): void {
  switch (name) {
    case "UnitTestResult": {
      const parent = reading.open.at(-1);
      if (parent !== undefined) parent.isParent = true;
      reading.open.push({ attributes, message: "", stack: "", isParent: false, hasFailedChild: false });
      break;
    }
    case "Message":
      reading.field = "message";
      break;
    case "StackTrace":
      reading.field = "stack";
      break;
    case "UnitTest":
      reading.definition = attributes.get("id");
      break;
    case "TestMethod":
      if (reading.definition !== undefined)
        reading.classes.set(reading.definition, attributes.get("className") ?? "");
  }
}

function close(reading: Reading, name: string, end: number): void {
  if (name === "Message" || name === "StackTrace") reading.field = undefined;
  else if (name === "UnitTest") reading.definition = undefined;
  else if (name === "TestRun") reading.end = end;
  else if (name === "UnitTestResult") {
    const result = reading.open.pop();
    if (result === undefined) return;
    const parent = reading.open.at(-1);
    if (parent !== undefined && (hasFailed(result) || result.hasFailedChild)) parent.hasFailedChild = true;
    reading.results.push(result);
  }
}

// Some adapters print only the method as test name; the class is then in the definition.
function toFailure({ attributes, message, stack }: Result, classes: ReadonlyMap<string, string>): Failure {
  const name = attributes.get("testName") ?? "";
  // Older adapters write "Namespace.Class, Assembly, Version=…".
  const [owner = ""] = (classes.get(attributes.get("testId") ?? "") ?? "").split(",", 1);
  const id = owner === "" || name.startsWith(`${owner}.`) ? name : `${owner}.${name}`;
  return dotnetFailure(id, message, stack);
}
