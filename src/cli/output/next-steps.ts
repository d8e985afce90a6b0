// Suggests the next commands, ready to copy.

import { bestBeyondLast } from "#rules/best-iteration";
import type { Run } from "#spec/run";
import { quoteWord } from "#system/shell";
import { resumeFlags } from "#views/resume-flags";
import { oneLine, type Part, tone, widthOf } from "./spans.ts";

export interface Step {
  /** Printed before the command. */
  readonly lead?: string;
  readonly command: string;
  readonly why: string;
}

function waitingSteps(run: Run): Step[] {
  const gates = run.waitingFor?.gates ?? [];
  if (gates.length === 0)
    return [{ command: `converge decide ${run.id} continue`, why: "or accept, stop, rollback" }];
  return [
    ...gates.map((gate) => ({
      command: `converge approve ${run.id} ${quoteWord(oneLine(gate))}`,
      why: "or reject instead of approve",
    })),
    { command: `converge diff ${run.id}`, why: "shows the changes" },
  ];
}

/** Only if an earlier iteration is strictly better than the last one. */
function restoreSteps(run: Run): Step[] {
  if (!bestBeyondLast(run)) return [];
  return [{ command: `converge restore ${run.id}`, why: "restores the files of the best iteration" }];
}

const mergeStep = (branch: string): Step => ({
  command: `git merge ${quoteWord(oneLine(branch))}`,
  why: "merges the work",
});

/** An in-place workspace already has the files, so a merge would conflict with them. */
function branchStep({ id, task }: Run, branch: string): Step {
  if (task.workspace.git)
    return {
      command: `git fetch ${quoteWord(oneLine(task.workspace.git.url))} ${quoteWord(oneLine(branch))}`,
      why: "fetches the work into your clone, as FETCH_HEAD",
    };
  if (task.workspace.type !== "in-place") return mergeStep(branch);
  return {
    command: `converge deliver ${id} --as commit`,
    why: "commits it to the checked-out branch",
  };
}

/** Commands that take over the delivered work, to run in the user's folder. */
export function deliverySteps(run: Run): Step[] {
  if (!run.delivered) return [];
  const { type, problem, branch, commit = "", file } = run.delivered;
  const as = run.task.deliver?.type === type ? "" : ` --as ${type}`;
  const again = { command: `converge deliver ${run.id}${as}`, why: "tries again" };
  if (problem !== undefined) return type === "commit" && branch ? [mergeStep(branch), again] : [again];
  switch (type) {
    case "branch":
      return branch ? [branchStep(run, branch)] : [];
    case "patch":
      return file
        ? [{ command: `git apply ${quoteWord(oneLine(file))}`, why: "applies it to the base" }]
        : [];
    case "commit":
      return branch
        ? []
        : [{ command: `git branch NAME ${commit}`, why: "keeps the commit, because HEAD is detached" }];
    case "pull-request":
      return [];
  }
}

/** A terminal cannot drive a run whose agent is a session or an in-process object. */
function resumeSteps({ id, task }: Run, why: string, flags = ""): Step[] {
  const needsItsProgram = task.agents.some(({ type }) => type === "session" || type === "inline");
  return needsItsProgram ? [] : [{ command: `converge resume ${id}${flags}`, why }];
}

/** Includes the option that raises the limit that ended the run; without it, a resumed run ends at once. */
function continueSteps(run: Run): Step[] {
  const flags = resumeFlags(run);
  if (flags === undefined) return [];
  const lead = "Continue with: ";
  return resumeSteps(run, "from where it ended", flags && ` ${flags}`).map((step) => ({ ...step, lead }));
}

export function nextSteps(run: Run): readonly Step[] {
  switch (run.state) {
    case "waiting":
      return waitingSteps(run);
    case "away":
      return [
        { command: `converge steer ${run.id} TEXT`, why: "sends a message to the next iteration" },
        { command: `converge stop ${run.id}`, why: "ends the loop; the session stays open" },
      ];
    case "paused":
      return resumeSteps(run, "continues it");
    case "running":
      return resumeSteps(run, "continues it, if it was interrupted");
    case "ended":
      if (run.ended?.outcome === "converged") return deliverySteps(run);
      return [...continueSteps(run), ...restoreSteps(run), ...deliverySteps(run)];
  }
}

/** Drops the explanation if the line is too long: a truncated command must not be copied. */
export function stepParts(step: Step, columns: number): Part[] {
  const command = [...(step.lead ? [step.lead] : []), tone("strong", step.command)];
  const explained = [...command, tone("faint", `   ${step.why}`)];
  return widthOf(explained) <= columns ? explained : command;
}
