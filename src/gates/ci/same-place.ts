// An agent that points `origin` elsewhere, or moves the repository, must not choose its own judge.
import type { Run } from "#spec/run";
import { CannotJudge } from "./cannot-judge.ts";
import type { Subject } from "./subject.ts";

const COMMIT = ", commit ";

function place({ repository, folder }: Subject): string {
  return `GitHub Actions of ${repository}${folder && `, folder ${folder}`}`;
}

/** What was looked at, as it stands in the evidence of the verdict. */
export function described(subject: Subject): string {
  return `${place(subject)}${COMMIT}${subject.commit}`;
}

/** Every verdict of a run speaks of the same folder of the same repository: the one of its first. */
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
