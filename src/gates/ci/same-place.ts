// Pins the repository of a run: an agent must not choose its own judge by changing `origin` or moving the repository.
import type { Run } from "#spec/run";
import { CannotJudge } from "./cannot-judge.ts";
import type { Subject } from "./subject.ts";

const COMMIT = ", commit ";

function place({ repository, folder }: Subject): string {
  return `GitHub Actions of ${repository}${folder && `, folder ${folder}`}`;
}

/** The repository, folder and commit, as recorded in the verdict's evidence. */
export function described(subject: Subject): string {
  return `${place(subject)}${COMMIT}${subject.commit}`;
}

/** Throws unless the subject is in the same folder and repository as in the gate's first verdict of the run. */
export function checkSamePlace(run: Run, gate: string, subject: Subject): void {
  const [first] = [run.baseline, ...run.iterations]
    .flatMap(({ verdicts }) => verdicts)
    .flatMap((judged) => (judged.gate === gate ? (judged.verdict.evidence.command ?? []) : []));
  const before = first?.slice(0, first.lastIndexOf(COMMIT));
  if (before === undefined || before === place(subject)) return;
  throw new CannotJudge(
    `this run began with ${before}, and the workspace now says ${place(subject)}; put the repository back, or start a new run`,
  );
}
