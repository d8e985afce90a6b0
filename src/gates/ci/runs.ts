// Waits for the workflow runs of a commit to complete.

import type { Clock } from "#system/clock";
import { unknownName } from "#text/nearest-name";
import { CannotJudge, NotPushed } from "./cannot-judge.ts";
import type { Client } from "./client.ts";
import { runsPage, type WorkflowRun, workflowsPage } from "./shapes.ts";

export interface Wanted {
  readonly repository: string;
  readonly commit: string;
  readonly branch?: string;
  /** File names or names; empty means all. */
  readonly workflows: readonly string[];
  readonly timeoutMs: number;
  readonly noRunsMs: number;
  readonly poll: { readonly firstMs: number; readonly maxMs: number };
}

const GROWTH = 1.5;

/** Extracts `ci.yml` from `.github/workflows/ci.yml@main`. */
function fileOf({ path }: { readonly path: string }): string {
  return path.replace(/@.*$/, "").split("/").at(-1) ?? "";
}

function isNamed(run: { readonly name: string; readonly path: string }, name: string): boolean {
  return run.name === name || fileOf(run) === name.split("/").at(-1);
}

export function titleOf(run: WorkflowRun): string {
  return run.name || fileOf(run) || `workflow ${run.workflow_id}`;
}

function isNewer(one: WorkflowRun, other: WorkflowRun): boolean {
  return (one.run_number - other.run_number || one.run_attempt - other.run_attempt || one.id - other.id) > 0;
}

/** The newest run of each workflow in its latest attempt: a re-run replaces earlier results. */
function newest(runs: readonly WorkflowRun[]): WorkflowRun[] {
  const found = new Map<number, WorkflowRun>();
  for (const run of runs) {
    const known = found.get(run.workflow_id);
    if (!known || isNewer(run, known)) found.set(run.workflow_id, run);
  }
  return [...found.values()].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}

async function look(client: Client, { commit, branch, workflows }: Wanted): Promise<WorkflowRun[]> {
  const query = new URLSearchParams({ head_sha: commit, ...(branch !== undefined && { branch }) });
  const runs = await client.list(`actions/runs?${query}`, runsPage);
  // Filters again, because a server that does not know the filter returns all runs.
  const own = runs.filter((run) => run.head_sha === commit);
  return newest(own).filter((run) => workflows.length === 0 || workflows.some((name) => isNamed(run, name)));
}

/** Explains why nothing ran and what to do. */
async function nothingRan(client: Client, wanted: Wanted, missing: readonly string[]): Promise<CannotJudge> {
  const known = await client.list("actions/workflows", workflowsPage);
  const stranger = missing.find((name) => !known.some((workflow) => isNamed(workflow, name)));
  const names = missing.length > 0 ? ` of ${missing.join(", ")}` : "";
  const waited = `after ${Math.round(wanted.noRunsMs / 1000)} s`;
  const advice =
    stranger === undefined
      ? "push the commit, and see that a workflow runs for it (its triggers, branches and paths)"
      : unknownName("workflow", { name: stranger, where: wanted.repository }, known.map(fileOf));
  const where = `${wanted.repository}, commit ${wanted.commit}`;
  return new NotPushed(`no runs${names} for ${where} ${waited}; ${advice}`);
}

const stateOf = (run: WorkflowRun) =>
  `${titleOf(run)}: ${run.status === "completed" ? run.conclusion : run.status || "unknown"}`;

/** Polls until every run that counts is completed. Calls `say` on every change. */
export async function finishedRuns(
  client: Client,
  wanted: Wanted,
  clock: Clock,
  say: (line: string) => void,
): Promise<readonly WorkflowRun[]> {
  const began = clock.monotonic();
  let said = "";
  for (let interval = wanted.poll.firstMs; ; interval = Math.min(interval * GROWTH, wanted.poll.maxMs)) {
    const runs = await look(client, wanted);
    const missing = wanted.workflows.filter((name) => !runs.some((run) => isNamed(run, name)));
    const known = [...runs.map(stateOf), ...missing.map((name) => `${name}: no run yet`)];
    const states = known.join(", ") || "no runs yet";
    if (states !== said) say(states);
    said = states;
    const absent = runs.length === 0 || missing.length > 0;
    const grace = absent ? wanted.noRunsMs - (clock.monotonic() - began) : Number.POSITIVE_INFINITY;
    if (grace <= 0) throw await nothingRan(client, wanted, missing);
    if (!absent && runs.every((run) => run.status === "completed")) return runs;
    if (client.left() <= 0)
      throw new CannotJudge(
        `not done after ${Math.round(wanted.timeoutMs / 1000)} s (${states}); raise "timeout", or see why CI takes so long`,
      );
    await client.wait(Math.min(interval, grace));
  }
}
