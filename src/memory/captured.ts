// The last iterations as the gates saw them: command, exit code, duration, files changed, and the end of the output.
import type { Memory } from "#spec/memory";
import type { Iteration, Judged, Run } from "#spec/run";
import { head, plain, quoted, tail } from "#spec/text";

export interface CapturedOptions {
  /** How many iterations are kept. */
  readonly entries?: number;
  /** How many characters of output each of them may have. */
  readonly chars?: number;
}

const LISTED_FILES = 12;
const LONGEST_FACT = 200;

/** On one line and bounded: a file's name or a summary must not pose as an entry of its own. */
function fact(text: string): string {
  return head(plain(text).replace(/\s+/g, " ").trim(), LONGEST_FACT);
}

/** The ends of both streams within one budget: what one does not need, the other may have. */
function output(stdout: string, stderr: string, chars: number): string {
  const half = Math.floor(chars / 2);
  const errors = tail(stderr, Math.max(half, chars - stdout.length));
  const rest = Math.max(half, chars - stderr.length);
  return [tail(stdout, rest), errors].filter(Boolean).join("\n");
}

function gateEntry({ gate, verdict }: Judged, chars: number): string {
  const { command, exitCode, stdout = "", stderr = "" } = verdict.evidence;
  const facts = [
    `gate ${gate}: ${verdict.status}, ${fact(verdict.summary)}`,
    ...(command ? [`command: ${fact(command)}`] : []),
    ...(exitCode !== undefined && exitCode !== null ? [`exit code: ${exitCode}`] : []),
    `duration: ${Math.round(verdict.durationMs)} ms`,
  ];
  const shown = verdict.status === "passed" ? "" : output(plain(stdout).trim(), plain(stderr).trim(), chars);
  return shown ? `${facts.join("; ")}\n${quoted(shown)}` : facts.join("; ");
}

function filesChanged(iteration: Iteration): string {
  const { changes = [], changeCount = 0 } = iteration.snapshot ?? {};
  const names = changes.slice(0, LISTED_FILES).map((change) => fact(change.path));
  const more = changeCount - names.length;
  return `files changed: ${names.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What the task keeps from the agent, it does not hear from the memory either. */
function isKept(run: Run, { gate, verdict }: Judged): boolean {
  const spec = run.task.gates.find(({ name }) => name === gate);
  return verdict.status !== "skipped" && spec?.policy.onFailure.feedback !== "none";
}

function entry(run: Run, iteration: Iteration, chars: number): string {
  const judged = iteration.verdicts.filter((one) => isKept(run, one));
  // One budget for the iteration, whatever the number of its gates.
  const share = Math.floor(
    chars / Math.max(1, judged.filter(({ verdict }) => verdict.status !== "passed").length),
  );
  const agent =
    iteration.agent && !iteration.agent.ok
      ? [`agent ${iteration.agent.failure}:\n${quoted(fact(iteration.agent.reason ?? "no reason given"))}`]
      : [];
  return [
    `## Iteration ${iteration.number}`,
    filesChanged(iteration),
    ...agent,
    ...judged.map((one) => gateEntry(one, share)),
  ].join("\n");
}

export function captured({ entries = 5, chars = 500 }: CapturedOptions = {}): Memory {
  const recall = (run: Run) =>
    run.iterations
      .filter((iteration) => iteration.agent)
      .slice(-entries)
      .map((iteration) => entry(run, iteration, chars))
      .join("\n\n");
  return { recall };
}
