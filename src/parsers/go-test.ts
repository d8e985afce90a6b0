// Parses `go test`, plain, with -v and with -json. Every package is a separate run; all are added up.
import { buildFailures } from "./go-build.ts";
import { type GoPackage, type GoStatus, newPackage, packagePart, testNamed } from "./go-packages.ts";
import { linesOf } from "./shared/lines.ts";
import { type Packages, type ReportParser, type RunPart, report } from "./shared/report.ts";

const PACKAGE = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:[\t ](.*))?$/;
const STARTED = /^=== (RUN|PAUSE|CONT|NAME) {1,3}(\S{1,500})$/;
const ENDED = /^ {0,200}--- (PASS|FAIL|SKIP): (\S{1,500}) \([\d.]+s\)$/;
const COMPILED = /^# \[?\S+?\]?(?: \[\S+\])?$/;
const NOISE = /^(?:PASS|FAIL|exit status \d+|coverage: .*)$/;
const UNCOUNTED = "go test does not count passing tests without -v";
const BROKEN = /\[(?:build|setup) failed\]$/;

interface Reading {
  readonly parts: RunPart[];
  /** For text output, whose package is known only at its last line; JSON names the package. */
  current: GoPackage;
  readonly named: Map<string, GoPackage>;
  /** Compiler output for all packages. */
  readonly build: string[];
  /** Packages that do not compile. */
  readonly broken: Set<string>;
  /** Receives the next line of output. */
  output: string[];
  endsAt: number;
  /** Packages with tests, and how many of them listed every test. */
  tested: number;
  listed: number;
  failed: number;
}

export const goTest: ReportParser = (text, lines) => {
  const current = newPackage();
  const reading: Reading = {
    parts: [],
    current,
    named: new Map(),
    build: [],
    broken: new Set(),
    output: current.output,
    endsAt: -1,
    tested: 0,
    listed: 0,
    failed: 0,
  };
  for (const [at, line] of text.split("\n").entries()) {
    const before = reading.parts.length + reading.broken.size;
    const event = line.startsWith('{"') ? eventIn(line) : undefined;
    if (event === undefined) readLine(reading, lines[at] ?? "");
    else readEvent(reading, event);
    if (reading.parts.length + reading.broken.size > before) reading.endsAt = at;
  }
  if (reading.endsAt < 0) return undefined;
  const { parts, broken, build } = reading;
  const built = broken.size === 0 ? [] : [buildFailures(build, [...broken])];
  const packages = packagesOf(reading);
  return {
    ...report("go test", [...parts, ...built], reading.endsAt),
    ...(packages && { uncounted: { why: UNCOUNTED, packages } }),
  };
};

// Undefined when every test is listed, so that their number is known.
function packagesOf({ parts, tested, listed, failed, broken }: Reading): Packages | undefined {
  const isCounted = tested === listed && (listed > 0 || broken.size === 0);
  if (isCounted) return undefined;
  const failedTests = parts.reduce((sum, { counts }) => sum + counts.failed, 0);
  return { tested: tested + broken.size, failed, failedTests, broken: broken.size };
}

function readLine(reading: Reading, line: string): void {
  const [, state, path, note = ""] = PACKAGE.exec(line) ?? [];
  const [, , started] = STARTED.exec(line) ?? [];
  const [, result, ended] = ENDED.exec(line) ?? [];
  if (state !== undefined && path !== undefined) endPackage(reading, { state: state.trim(), path, note });
  else if (started !== undefined) {
    reading.current.isListed = true;
    reading.output = testNamed(reading.current, started).output;
  } else if (result !== undefined && ended !== undefined) {
    const test = testNamed(reading.current, ended);
    test.status = result.toLowerCase() as GoStatus;
    reading.output = test.output;
  } else if (COMPILED.test(line)) reading.output = reading.build;
  else if (!NOISE.test(line)) reading.output.push(line);
}

/** The line that ends a package: its state, its import path and what follows. */
type PackageLine = Readonly<Record<"state" | "path" | "note", string>>;

function endPackage(reading: Reading, { state, path, note }: PackageLine): void {
  if (BROKEN.test(note)) reading.broken.add(path);
  else {
    const hasTests = state !== "?" && !note.includes("[no tests to run]");
    addPackage(reading, { path, tests: reading.current, ok: state !== "FAIL", hasTests });
    reading.current = newPackage();
  }
  reading.output = reading.current.output;
}

interface EndedPackage {
  readonly path: string;
  readonly tests: GoPackage;
  readonly ok: boolean;
  readonly hasTests: boolean;
}

function addPackage(reading: Reading, { path, tests, ok, hasTests }: EndedPackage): void {
  reading.parts.push(packagePart(path, tests, ok));
  if (!hasTests) return;
  reading.tested++;
  if (tests.isListed) reading.listed++;
  if (!ok) reading.failed++;
}

function packageNamed(reading: Reading, path: string): GoPackage {
  const known = reading.named.get(path);
  if (known !== undefined) return known;
  const created = newPackage();
  created.isListed = true;
  reading.named.set(path, created);
  return created;
}

type GoEvent = Readonly<Record<"Action" | "Package" | "ImportPath" | "Test" | "Output", string | undefined>>;

function readEvent(reading: Reading, event: GoEvent): void {
  const path = event.Package ?? event.ImportPath?.split(" ", 1)[0] ?? "";
  const owner = packageNamed(reading, path);
  const test = event.Test === undefined ? undefined : testNamed(owner, event.Test.slice(0, 500));
  switch (event.Action) {
    case "build-output":
      reading.build.push(...outputOf(event));
      return;
    case "output":
      if (BROKEN.test(event.Output?.trimEnd() ?? "")) reading.broken.add(path);
      for (const line of outputOf(event)) (test ?? owner).output.push(line);
      return;
    case "pass":
    case "fail":
    case "skip":
      if (test !== undefined) test.status = event.Action;
      else {
        if (!reading.broken.has(path))
          addPackage(reading, {
            path,
            tests: owner,
            ok: event.Action !== "fail",
            hasTests: owner.tests.size > 0,
          });
        reading.named.delete(path);
      }
  }
}

// Drops go's own lines ("=== RUN", "--- FAIL", "FAIL pkg"), which it repeats as output.
function outputOf(event: GoEvent): readonly string[] {
  return linesOf(event.Output?.trimEnd() ?? "").filter(
    (line) => ![STARTED, ENDED, PACKAGE, NOISE, COMPILED].some((own) => own.test(line)),
  );
}

function eventIn(line: string): GoEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const fields = Object.entries(value as object).filter(([, field]) => typeof field === "string");
  const event = Object.fromEntries(fields) as GoEvent;
  const isGo = event.Action !== undefined && (event.Package ?? event.ImportPath) !== undefined;
  return isGo ? event : undefined;
}
