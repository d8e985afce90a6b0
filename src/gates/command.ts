// Any command as a gate: its exit code, and where it runs tests, how many of them pass and which do not.
import fs from "node:fs";
import path from "node:path";
import type { Gate, JudgeRequest } from "#spec/gate";
import { plain, tail } from "#spec/text";
import type { Failure, Verdict } from "#spec/verdict";
import { readTail } from "#system/files";
import { type Grace, type ProcessEnd, runProcess } from "#system/process";
import { relative, relativeFailure } from "./relative.ts";
import { readReport } from "./reports/read-report.ts";
import { recognise } from "./reports/recognise.ts";
import type { TestReport } from "./reports/report.ts";

export interface CommandGateOptions {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly exitCode?: number;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder inside the workspace. */
  readonly cwd?: string;
  /** Fewest tests that must have run; 1 when tests are recognised. */
  readonly minTests?: number;
  /** Test-report file that the command writes, in its folder. */
  readonly report?: string;
  readonly grace?: Grace;
}

const TEN_MINUTES = 600_000;
const OUTPUT_BYTES = 2 * 1024 * 1024;
const REPORT_BYTES = 64 * 1024 * 1024;
const EVIDENCE_CHARS = 4_000;

interface Outputs {
  readonly stdout: string;
  readonly stderr: string;
}

/** Why the command says nothing about the files: no verdict, and certainly not a pass. */
export function trouble(end: ProcessEnd, timeoutMs: number, expected: number): string | undefined {
  switch (end.cause) {
    case "not-started":
      return `could not be started: ${end.error}`;
    case "timed-out":
      return `timed out after ${timeoutMs / 1000} s`;
    case "idle":
    case "cancelled":
      return "was cut off before it was done";
    case "exited":
      if (end.exitCode === expected) return undefined;
      if (end.exitCode === 127) return "command not found (exit 127)";
      if (end.exitCode === 126) return "cannot be executed (exit 126)";
      if (end.exitCode === null || end.exitCode > 128)
        return `crashed (${end.exitCode === null ? "killed by a signal" : `exit ${end.exitCode}`})`;
      return undefined;
  }
}

/** What tells one writing of a file from another; undefined when there is no such file. */
export function writingOf(file: string): string | undefined {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : undefined;
}

/** The report that this very run wrote; a file that was there before proves nothing. */
function reportFrom(file: string, before: string | undefined): TestReport | undefined {
  const now = writingOf(file);
  return now === undefined || now === before ? undefined : readReport(readTail(file, REPORT_BYTES));
}

/** Fraction of the tests that ran; below 1 whenever the gate did not pass. */
function scoreOf(report: TestReport | undefined): number {
  if (!report) return 0;
  const ran = report.counts.total - report.counts.skipped;
  if (ran <= 0) return 0;
  return Math.min(report.counts.passed / ran, ran / (ran + 1));
}

function complaints(
  exitCode: number | null,
  expected: number,
  report: TestReport | undefined,
  minTests: number,
): string[] {
  const found: string[] = [];
  const ran = report ? report.counts.total - report.counts.skipped : 0;
  if (report && report.counts.failed > 0) found.push(`${report.counts.failed} of ${ran} tests failed`);
  if (report && ran < minTests)
    found.push(ran === 0 ? "ran 0 tests" : `ran ${ran} tests, fewer than ${minTests}`);
  if (!report && minTests > 0)
    found.push(`no test results were recognised, and at least ${minTests} tests must run`);
  if (exitCode !== expected)
    found.push(`exit code ${exitCode}${expected === 0 ? "" : `, expected ${expected}`}`);
  return found;
}

function failuresOf(
  report: TestReport | undefined,
  complaint: string,
  { stdout, stderr }: Outputs,
): readonly Failure[] {
  if (report && report.failures.length > 0) return report.failures;
  const output = [stdout, stderr]
    .map((text) => tail(text.trim(), 1_000))
    .filter(Boolean)
    .join("\n");
  return [{ message: output ? `${complaint}\n${output}` : complaint }];
}

export function command(name: string, options: CommandGateOptions): Gate {
  const shown = typeof options.command === "string" ? options.command : options.command.join(" ");
  const timeoutMs = options.timeoutMs ?? TEN_MINUTES;
  const expected = options.exitCode ?? 0;

  const verdictOf = (end: ProcessEnd, outputs: Outputs, report: TestReport | undefined): Verdict => {
    const base = {
      evidence: {
        command: shown,
        exitCode: end.exitCode,
        stdout: tail(outputs.stdout, EVIDENCE_CHARS),
        stderr: tail(outputs.stderr, EVIDENCE_CHARS),
      },
      durationMs: Math.round(end.durationMs),
    };
    const errored = trouble(end, timeoutMs, expected);
    if (errored)
      return {
        ...base,
        status: "errored",
        score: 0,
        summary: errored,
        failures: failuresOf(undefined, errored, outputs),
      };
    const counted = report && { tests: report.counts };
    const minTests = options.minTests ?? (report || options.report ? 1 : 0);
    const found = complaints(end.exitCode, expected, report, minTests);
    const skipped = report && report.counts.skipped > 0 ? `, ${report.counts.skipped} skipped` : "";
    if (found.length === 0) {
      const summary = report ? `${report.counts.passed} tests passed${skipped}` : `exit code ${end.exitCode}`;
      return { ...base, status: "passed", score: 1, summary, failures: [], ...counted };
    }
    const summary = found.join("; ") + skipped;
    return {
      ...base,
      status: "failed",
      score: scoreOf(report),
      summary,
      failures: failuresOf(report, summary, outputs),
      ...counted,
    };
  };

  return {
    name,
    judge: async (request: JudgeRequest, signal) => {
      const cwd = path.resolve(request.dir, options.cwd ?? ".");
      const stdout = path.join(request.files, "stdout.log");
      const stderr = path.join(request.files, "stderr.log");
      const reportFile = options.report && path.resolve(cwd, options.report);
      const before = reportFile && writingOf(reportFile);
      const end = await runProcess(
        {
          command: options.command,
          cwd,
          run: request.run.id,
          ...(request.env && { base: request.env }),
          env: { ...options.env, CONVERGE_ITERATION: String(request.iteration) },
          stdout,
          stderr,
          timeoutMs,
          ...(options.grace && { grace: options.grace }),
        },
        signal,
      );
      const outputs = {
        stdout: plain(readTail(stdout, OUTPUT_BYTES, end.stdoutFrom)),
        stderr: plain(readTail(stderr, OUTPUT_BYTES, end.stderrFrom)),
      };
      const report = reportFile
        ? reportFrom(reportFile, before)
        : (recognise(outputs.stdout) ?? recognise(outputs.stderr));
      const shown = {
        stdout: relative(outputs.stdout, request.dir),
        stderr: relative(outputs.stderr, request.dir),
      };
      const verdict = verdictOf(end, shown, report);
      return {
        ...verdict,
        failures: verdict.failures.map((failure) => relativeFailure(failure, request.dir, cwd)),
      };
    },
  };
}
