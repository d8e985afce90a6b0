// An iteration as the gates saw it: command, exit code, duration, files changed, and the end of the output.
import type { Iteration, Judged, Run } from "#spec/run";
import { plain, quoted, tail } from "#spec/text";
import { fact, filesChanged, judgedFor, lastIterations } from "./facts.ts";

const LISTED_FILES = 12;

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

function filesLine(iteration: Iteration): string {
  const { names, more } = filesChanged(iteration, LISTED_FILES);
  return `files changed: ${names.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What was captured of the iteration; `chars` is for the output of all of its gates. */
export function capturedOf(run: Run, iteration: Iteration, chars: number): string {
  const judged = judgedFor(run, iteration);
  // One budget for the iteration, whatever the number of its gates.
  const share = Math.floor(
    chars / Math.max(1, judged.filter(({ verdict }) => verdict.status !== "passed").length),
  );
  const agent =
    iteration.agent && !iteration.agent.ok
      ? [`agent ${iteration.agent.failure}:\n${quoted(fact(iteration.agent.reason ?? "no reason given"))}`]
      : [];
  return [filesLine(iteration), ...agent, ...judged.map((one) => gateEntry(one, share))].join("\n");
}

/** The last iterations, each with its number over what `tell` says of it. */
export function entriesOf(run: Run, entries: number, tell: (iteration: Iteration) => string): string {
  return lastIterations(run, entries)
    .map((iteration) => `## Iteration ${iteration.number}\n${tell(iteration)}`)
    .join("\n\n");
}
