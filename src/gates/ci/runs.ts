// Waits for the workflow runs of a commit to complete.

import type { Clock } from "#system/clock";
import { unknownName } from "#text/nearest-name";
import { CannotJudge, NotPushed } from "./cannot-judge.ts";
import type { Client } from "./client.ts";
import { runsPage, type WorkflowRun, workflowsPage } from "./shapes.ts";

export interface RunQuery {
  readonly repository: string;
  readonly commit: string;
  readonly branch?: string;
  /** File names or names; empty means all. */
  readonly workflows: readonly string[];
  readonly timeoutMs: number;
  readonly noRunsMs: number;
  readonly poll: { readonly firstMs: number; readonly maxMs: number };
}

export interface PollOptions {
  readonly clock: Clock;
  readonly log: (line: string) => void;
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
  const latest = new Map<number, WorkflowRun>();
  for (const run of runs) {
    const known = latest.get(run.workflow_id);
    if (!known || isNewer(run, known)) latest.set(run.workflow_id, run);
  }
  return [...latest.values()].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}

async function findRuns(client: Client, { commit, branch, workflows }: RunQuery): Promise<WorkflowRun[]> {
  const search = new URLSearchParams({ head_sha: commit, ...(branch !== undefined && { branch }) });
  const runs = await client.list(`actions/runs?${search}`, runsPage);
  // Filters again, because a server that does not know the filter returns all runs.
  const own = runs.filter((run) => run.head_sha === commit);
  return newest(own).filter((run) => workflows.length === 0 || workflows.some((name) => isNamed(run, name)));
}

/** Explains why nothing ran and what to do. */
async function noRunsError(
  client: Client,
  query: RunQuery,
  missing: readonly string[],
): Promise<CannotJudge> {
  const known = await client.list("actions/workflows", workflowsPage);
  const unknown = missing.find((name) => !known.some((workflow) => isNamed(workflow, name)));
  const names = missing.length > 0 ? ` of ${missing.join(", ")}` : "";
  const waited = `after ${Math.round(query.noRunsMs / 1000)} s`;
  const advice =
    unknown === undefined
      ? "push the commit, and check that a workflow runs for it (triggers, branches, paths)"
      : unknownName("workflow", { name: unknown, where: query.repository }, known.map(fileOf));
  const where = `${query.repository}, commit ${query.commit}`;
  return new NotPushed(`no runs${names} for ${where} ${waited}; ${advice}`);
}

const stateOf = (run: WorkflowRun) =>
  `${titleOf(run)}: ${run.status === "completed" ? run.conclusion : run.status || "unknown"}`;

/** Polls until every run that counts is completed. Logs every change. */
export async function waitForRuns(
  client: Client,
  query: RunQuery,
  { clock, log }: PollOptions,
): Promise<readonly WorkflowRun[]> {
  const began = clock.monotonic();
  let logged = "";
  for (let interval = query.poll.firstMs; ; interval = Math.min(interval * GROWTH, query.poll.maxMs)) {
    const runs = await findRuns(client, query);
    const missing = query.workflows.filter((name) => !runs.some((run) => isNamed(run, name)));
    const known = [...runs.map(stateOf), ...missing.map((name) => `${name}: no run yet`)];
    const states = known.join(", ") || "no runs yet";
    if (states !== logged) log(states);
    logged = states;
    const absent = runs.length === 0 || missing.length > 0;
    const grace = absent ? query.noRunsMs - (clock.monotonic() - began) : Number.POSITIVE_INFINITY;
    if (grace <= 0) throw await noRunsError(client, query, missing);
    if (!absent && runs.every((run) => run.status === "completed")) return runs;
    if (client.left() <= 0)
      throw new CannotJudge(
        `still running after ${Math.round(query.timeoutMs / 1000)} s (${states}); raise "timeout", or check why CI takes so long`,
      );
    await client.wait(Math.min(interval, grace));
  }
}
