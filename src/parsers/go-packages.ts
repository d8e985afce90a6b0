// Collects the results of `go test` per package, from text lines or JSON events.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type RunPart } from "./shared/report.ts";

export type GoStatus = "running" | "pass" | "fail" | "skip";

interface GoTest {
  status: GoStatus;
  readonly output: string[];
}

export interface GoPackage {
  readonly tests: Map<string, GoTest>;
  /** Output outside of any test. */
  readonly output: string[];
  /** Whether every test is listed, including passed ones: -v or -json. */
  isListed: boolean;
}

const FRAME = /^\t\S+\.go:\d+ \+0x/;
const PLACE = /^\s*\S+\.go:\d+(?::\d+)?: /;

export function newPackage(): GoPackage {
  return { tests: new Map(), output: [], isListed: false };
}

export function testNamed({ tests }: GoPackage, name: string): GoTest {
  const known = tests.get(name);
  if (known !== undefined) return known;
  const test: GoTest = { status: "running", output: [] };
  tests.set(name, test);
  return test;
}

/** Counts leaf tests, and failed parents without a failed subtest. */
export function packagePart(path: string, { tests, output }: GoPackage, ok: boolean): RunPart {
  const parents = parentsAmong(tests, () => true);
  const explained = parentsAmong(tests, (test) => hasFailed(test, ok));
  const leaves = [...tests].filter(
    ([name, test]) => !parents.has(name) || (hasFailed(test, ok) && !explained.has(name)),
  );
  const failed = leaves.filter(([, test]) => hasFailed(test, ok));
  const skipped = leaves.filter(([, test]) => test.status === "skip").length;
  const passed = leaves.length - failed.length - skipped;
  if (ok) return { counts: countsOf({ passed, failed: failed.length, skipped }), failures: [] };
  const failures = failed.map(([name, test]) => toFailure(path, `${path}/${name}`, test.output));
  if (failures.length === 0) failures.push(toFailure(path, path, output));
  // A parent, or the package itself, does not count as a test.
  const extra = failures.length - failed.filter(([name]) => !parents.has(name)).length;
  return { counts: countsOf({ passed, failed: failures.length, skipped, extra }), failures };
}

// In a failed package, a test without a result is the one that crashed it.
function hasFailed(test: GoTest, ok: boolean): boolean {
  return test.status === "fail" || (test.status === "running" && !ok);
}

function parentsAmong(
  tests: ReadonlyMap<string, GoTest>,
  counts: (test: GoTest) => boolean,
): ReadonlySet<string> {
  const parents = new Set<string>();
  for (const [name, test] of tests) {
    if (!counts(test)) continue;
    for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
      const parent = name.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return parents;
}

// Uses the last location, because notes are logged before the failure. Go prints file names without folders.
function toFailure(path: string, id: string, output: readonly string[]): Failure {
  const text = until(output, /^goroutine \d+/);
  const places = text.filter((line) => PLACE.test(line));
  const place = locate(places.slice(-1)) ?? locate(output.filter((line) => FRAME.test(line)));
  const location = place === undefined || place.includes("/") ? place : `${path}/${place}`;
  return failure({ id, message: dedent(text), location });
}
