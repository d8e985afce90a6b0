// Finds the test report in the output of a command, whichever runner wrote it.
import { plain } from "#spec/text";
import { cargoTest } from "./cargo-test.ts";
import { goTest } from "./go-test.ts";
import { jest } from "./jest.ts";
import { junitXml } from "./junit-xml.ts";
import { nodeTest } from "./node-test.ts";
import { pytest } from "./pytest.ts";
import type { ReportParser, TestReport } from "./report.ts";
import { tap } from "./tap.ts";
import { vitest } from "./vitest.ts";

// From the most telling format to the least: the order decides between two that end on the same line.
const PARSERS: readonly ReportParser[] = [vitest, jest, cargoTest, goTest, nodeTest, pytest, junitXml, tap];

/** A test may print the report of another runner; the runner itself has the last word. */
export function recognise(output: string): TestReport | undefined {
  const text = plain(output);
  return PARSERS.flatMap((parse) => parse(text) ?? []).reduce<TestReport | undefined>(
    (best, each) => (best === undefined || each.endsAt > best.endsAt ? each : best),
    undefined,
  );
}
