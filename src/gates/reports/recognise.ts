// Finds the test report in the output of a command, whichever runner wrote it.
import { plain } from "#spec/text";
import { cargoTest } from "./cargo-test.ts";
import { dotnet } from "./dotnet.ts";
import { goTest } from "./go-test.ts";
import { jest } from "./jest.ts";
import { jestJson } from "./jest-json.ts";
import { junitXml } from "./junit-xml.ts";
import { linesOf } from "./lines.ts";
import { mocha } from "./mocha.ts";
import { mochaJson } from "./mocha-json.ts";
import { nodeTest } from "./node-test.ts";
import { phpunit } from "./phpunit.ts";
import { pytest } from "./pytest.ts";
import type { ReportParser, TestReport } from "./report.ts";
import { rspec } from "./rspec.ts";
import { rspecJson } from "./rspec-json.ts";
import { tap } from "./tap.ts";
import { trx } from "./trx.ts";
import { vitest } from "./vitest.ts";

// From the most telling format to the least: the order decides between two that end on the same line.
const PARSERS: readonly ReportParser[] = [
  jestJson,
  mochaJson,
  rspecJson,
  vitest,
  jest,
  cargoTest,
  goTest,
  nodeTest,
  pytest,
  phpunit,
  rspec,
  mocha,
  dotnet,
  trx,
  junitXml,
  tap,
];

/** A test may print the report of another runner; the runner itself has the last word. */
export function recognise(output: string): TestReport | undefined {
  const text = plain(output);
  const lines = linesOf(text);
  return PARSERS.flatMap((parse) => parse(text, lines) ?? []).reduce<TestReport | undefined>(
    (best, each) => (best === undefined || each.endsAt > best.endsAt ? each : best),
    undefined,
  );
}
