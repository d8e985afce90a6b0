// `go test`, plain, with -v and with -json. Every package is a run of its own; all are added up.
import { finished, type GoPackage, type GoStatus, newPackage, testNamed } from "./go-packages.ts";
import { linesOf } from "./lines.ts";
import { type ReportParser, type RunPart, report } from "./report.ts";

const PACKAGE = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:[\t ](.*))?$/;
const STARTED = /^=== (RUN|PAUSE|CONT|NAME) {1,3}(\S{1,500})$/;
const ENDED = /^ {0,200}--- (PASS|FAIL|SKIP): (\S{1,500}) \([\d.]+s\)$/;
const COMPILED = /^# (\S+)(?: \[\S+\])?$/;
const NOISE = /^(?:PASS|FAIL|exit status \d+|coverage: .*)$/;

interface Reading {
  readonly parts: RunPart[];
  /** Text says nothing about whose it is until its package's last line; JSON and the compiler name the package. */
  current: GoPackage;
  readonly named: Map<string, GoPackage>;
  /** Whom the next line of output belongs to. */
  output: string[];
  endsAt: number;
  /** A package passed without naming its tests. */
  inexact: boolean;
}

export const goTest: ReportParser = (text, lines) => {
  const current = newPackage();
  const reading: Reading = {
    parts: [],
    current,
    named: new Map(),
    output: current.output,
    endsAt: -1,
    inexact: false,
  };
  for (const [at, line] of text.split("\n").entries()) {
    const before = reading.parts.length;
    const event = line.startsWith('{"') ? eventIn(line) : undefined;
    if (event === undefined) readLine(reading, lines[at] ?? "");
    else readEvent(reading, event);
    if (reading.parts.length > before) reading.endsAt = at;
  }
  if (reading.endsAt < 0) return undefined;
  return {
    ...report("go test", reading.parts, reading.endsAt),
    ...(reading.inexact && { inexact: true }),
  };
};

function readLine(reading: Reading, line: string): void {
  const [, state, path, note = ""] = PACKAGE.exec(line) ?? [];
  const [, , started] = STARTED.exec(line) ?? [];
  const [, result, ended] = ENDED.exec(line) ?? [];
  const [, compiled] = COMPILED.exec(line) ?? [];
  if (state !== undefined && path !== undefined) endPackage(reading, state.trim(), path, note);
  else if (started !== undefined) reading.output = testNamed(reading.current, started).output;
  else if (result !== undefined && ended !== undefined) {
    const test = testNamed(reading.current, ended);
    test.status = result.toLowerCase() as GoStatus;
    reading.output = test.output;
  } else if (compiled !== undefined) reading.output = packageNamed(reading, compiled).output;
  else if (!NOISE.test(line)) reading.output.push(line);
}

function endPackage(reading: Reading, state: string, path: string, note: string): void {
  const untold = state === "?" || note.includes("[no tests to run]") ? 0 : 1;
  const isBroken = note.endsWith("[build failed]") || note.endsWith("[setup failed]");
  const ended = isBroken ? packageNamed(reading, path) : reading.current;
  reading.parts.push(finished(path, ended, state !== "FAIL", untold));
  if (state !== "FAIL" && untold > 0 && ended.tests.size === 0) reading.inexact = true;
  if (!isBroken) reading.current = newPackage();
  reading.output = reading.current.output;
}

function packageNamed(reading: Reading, path: string): GoPackage {
  const known = reading.named.get(path);
  if (known !== undefined) return known;
  const fresh = newPackage();
  reading.named.set(path, fresh);
  return fresh;
}

type GoEvent = Readonly<Record<"Action" | "Package" | "ImportPath" | "Test" | "Output", string | undefined>>;

function readEvent(reading: Reading, event: GoEvent): void {
  const path = event.Package ?? event.ImportPath?.split(" ", 1)[0] ?? "";
  const owner = packageNamed(reading, path);
  const test = event.Test === undefined ? undefined : testNamed(owner, event.Test.slice(0, 500));
  switch (event.Action) {
    case "output":
    case "build-output":
      for (const line of outputOf(event)) (test ?? owner).output.push(line);
      return;
    case "pass":
    case "fail":
    case "skip":
      if (test !== undefined) test.status = event.Action;
      else {
        reading.parts.push(finished(path, owner, event.Action !== "fail", 0));
        reading.named.delete(path);
      }
  }
}

// Go repeats its own lines ("=== RUN", "--- FAIL", "FAIL pkg") as output.
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
