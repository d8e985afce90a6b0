// Describes the agent's changes to protected files that were undone in an iteration.
import type { Iteration } from "#spec/run";
import { plain } from "#text/plain-text";

const NAMED = 5;

export function undoneLine(run: string, { number, tampering }: Iteration): string {
  const changes = tampering?.changes ?? [];
  const names = changes.slice(0, NAMED).map(({ path, kind }) => `${plain(path)} (${kind})`);
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : "";
  const commit = tampering?.commit ? `; ${committedLine(tampering.commit)}` : "";
  return `undone in iteration ${number}: ${names.join(", ")}${more}${commit}. The agent's version: converge diff ${run} ${number} --undone`;
}

export function committedLine(commit: string): string {
  return `the agent's commit ${plain(commit).slice(0, 12)} still contains the change`;
}
