// Feeds recorded output of a real CLI to its driver's reader.
import fs from "node:fs";
import path from "node:path";
import type { Driver, Report, Shown } from "../../src/agents/shared/driver.ts";

const FOLDER = path.resolve(import.meta.dirname, "../fixtures/transcripts");

interface Recording {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Played {
  readonly shown: readonly Shown[];
  readonly report: Report;
}

export function play(driver: Driver, { stdout, stderr, exitCode }: Recording): Played {
  const reader = driver.reader();
  const shown = stdout.split("\n").flatMap((line) => reader.line(line));
  const now = new Date("2026-01-01T00:00:00Z");
  return { shown, report: reader.end({ exitCode, stdout, stderr, now }) };
}

/** Plays the recording of a scenario from test/fixtures/transcripts. */
export function playTranscript(driver: Driver, scenario: string): Played {
  const file = path.join(FOLDER, driver.name, `${scenario}.json`);
  return play(driver, JSON.parse(fs.readFileSync(file, "utf8")) as Recording);
}
