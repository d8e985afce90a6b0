// Loads output of the real CLIs, recorded by test/agents/record.mjs, and feeds it to a driver's reader.
import fs from "node:fs";
import path from "node:path";
import type { Ask, Driver, Ended, Report } from "#agents/shared/driver";

export interface Transcript {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FOLDER = path.resolve(import.meta.dirname, "../fixtures/transcripts");

export function transcript(agent: string, name: string): Transcript {
  return JSON.parse(fs.readFileSync(path.join(FOLDER, agent, `${name}.json`), "utf8"));
}

export const ASK: Ask = {
  permissions: "auto",
  commands: [],
  access: "write",
  tier: "basic",
  root: false,
  promptFile: "/files/prompt.md",
  folder: "/files/settings",
  reports: "/reports",
  dir: "/workspace",
};

export interface ReadOut {
  /** Activity shown to the user, one entry a line. */
  readonly shown: readonly string[];
  readonly report: Report;
}

export function readOut(
  driver: Driver,
  lines: readonly string[],
  end: Partial<Ended> = {},
  ask: Ask = ASK,
): ReadOut {
  const reader = driver.reader(ask);
  const shown = lines.flatMap((line) => reader.line(line));
  const ended = {
    exitCode: 0,
    stdout: lines.join("\n"),
    stderr: "",
    now: new Date("2026-11-16T12:00:00Z"),
    ...end,
  };
  return {
    shown: shown.map(({ tool, text }) => (tool === undefined ? text : `> ${tool} ${text}`)),
    report: reader.end(ended),
  };
}

export function readTranscript(driver: Driver, name: string, ask?: Ask): ReadOut {
  const { exitCode, stdout, stderr } = transcript(driver.name, name);
  return readOut(driver, stdout.split("\n"), { exitCode, stderr }, ask);
}
