// Decides whether a command gate could judge the files and, if not, whether to tell the agent.
import fs from "node:fs";
import path from "node:path";
import { verdictOf } from "#rules/success";
import type { JudgeRequest } from "#spec/gate";
import type { VerdictStatus } from "#spec/verdict";
import { describeMissing, type Lack } from "./describe-missing.ts";
import { findMissing, type Missing } from "./find-missing.ts";
import type { CommandRun } from "./run-command.ts";

export interface Inability {
  /** errored: the gate cannot judge. failed: the agent broke what the gate needs, and is told. */
  readonly status: Extract<VerdictStatus, "errored" | "failed">;
  readonly summary: string;
  readonly timedOut?: true;
}

/** Output this recent before the timeout counts as still growing. */
const GROWING_MS = 10_000;

function seconds(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 6_000) / 10} min`;
}

/** A timeout in the baseline says nothing about the files; later, the agent may have written an endless loop. */
function timeoutInability(
  { end, timeoutMs }: CommandRun,
  { run, iteration }: JudgeRequest,
  gate: string,
): Inability {
  const after = `timed out after ${seconds(timeoutMs)}`;
  if (iteration > 0) {
    const before = verdictOf(run.baseline, gate);
    const known = before && before.status !== "errored" && before.durationMs > 0;
    const baseline = known ? `; the baseline took ${seconds(before.durationMs)}` : "";
    return { status: "failed", summary: after + baseline, timedOut: true };
  }
  const isGrowing = (end.silentMs ?? timeoutMs) < Math.min(GROWING_MS, timeoutMs / 2);
  const growing = isGrowing ? " while its output was still growing: the limit is too short" : "";
  const summary = `${after}${growing}; raise --gate-timeout`;
  return { status: "errored", summary, timedOut: true };
}

/** A missing file that the prompt asks for is work for the agent, not an unusable gate. */
function isNamedInPrompt({ kind, name }: Missing, { run }: JudgeRequest): boolean {
  if (kind !== "file" && kind !== "program" && kind !== "folder") return false;
  const file = path.normalize(name);
  return /[./]/.test(file) && run.task.prompt.includes(file);
}

/** A program of unknown place is the agent's doing only if its diff adds the name; otherwise the machine lost it. */
async function isAgentsDoing({ where }: Lack, { name }: Missing, request: JudgeRequest): Promise<boolean> {
  if (where !== "unknown") return where === "workspace";
  const added = (await request.diff()).split("\n").filter((line) => /^\+(?!\+\+ )/.test(line));
  return added.some((line) => line.includes(name));
}

async function missingInability(outcome: CommandRun, request: JudgeRequest): Promise<Inability | undefined> {
  const missing = findMissing(outcome);
  if (!missing || isNamedInPrompt(missing, request)) return undefined;
  const { command, dir, cwd } = outcome;
  const searchPath = (request.env ?? process.env).PATH ?? "";
  const lack = describeMissing(missing, { command, dir, cwd, searchPath });
  const isAgents = request.iteration > 0 && (await isAgentsDoing(lack, missing, request));
  return { status: isAgents ? "failed" : "errored", summary: lack.reason };
}

export interface GateExpectation {
  readonly gate: string;
  /** The expected exit code. */
  readonly exitCode: number;
}

/** Undefined when the command judged. A recognised test report proves that it did, whatever its exit code. */
export async function inabilityOf(
  outcome: CommandRun,
  { gate, exitCode }: GateExpectation,
  request: JudgeRequest,
): Promise<Inability | undefined> {
  const { end, report, cwd } = outcome;
  switch (end.cause) {
    case "not-started": {
      const isAgents = request.iteration > 0 && !fs.existsSync(cwd);
      const summary = `could not be started: ${end.error}`;
      return { status: isAgents ? "failed" : "errored", summary };
    }
    case "timed-out":
      return timeoutInability(outcome, request, gate);
    case "idle":
    case "cancelled":
      return { status: "errored", summary: "interrupted before it finished" };
    case "exited": {
      const hasTests = report && (report.uncounted || report.counts.total > 0 || report.failures.length > 0);
      if (end.exitCode === exitCode || hasTests) return undefined;
      return missingInability(outcome, request);
    }
  }
}
