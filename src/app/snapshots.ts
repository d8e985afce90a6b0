// Snapshots of a run, by the names people use: a number, base, best, last, now.
import path from "node:path";
import { best } from "#loop/best";
import { stamp } from "#loop/stamp";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import { openShadow, type Shadow } from "#workspaces/shadow";
import { holdWorkspace, loadRun } from "./drive.ts";
import type { App } from "./open.ts";

function shadowOf(app: App, run: Run): Shadow {
  return openShadow(app.home.shadowOf(run.dir), path.resolve(run.dir));
}

function numberOf(run: Run, name: string): number {
  if (name === "base") return 0;
  if (name === "last") return run.iterations.findLast((iteration) => iteration.snapshot)?.number ?? 0;
  if (name === "best") return best(run)?.iteration ?? 0;
  const number = Number(name);
  if (Number.isInteger(number) && number >= 0 && number <= run.iterations.length) return number;
  throw new UsageError(
    `run ${run.id} has no snapshot "${name}"; there are base, 1 to ${run.iterations.length}, best, last and now`,
  );
}

function treeOf(run: Run, number: number): string {
  const tree = (number === 0 ? run.baseline : run.iterations[number - 1])?.snapshot?.tree;
  if (!tree) throw new UsageError(`iteration ${number} of run ${run.id} ended before its snapshot was taken`);
  return tree;
}

/** With two names, what lies between; with one, what that iteration did; with none, the whole run. */
export async function diffRun(app: App, id: string, from?: string, to?: string): Promise<string> {
  const run = await loadRun(app, id);
  const shadow = shadowOf(app, run);
  const tree = async (name: string) =>
    name === "now" ? (await shadow.snapshot()).tree : treeOf(run, numberOf(run, name));
  if (from === undefined) return shadow.diff(await tree("base"), await tree("last"));
  if (to !== undefined) return shadow.diff(await tree(from), await tree(to));
  if (from === "now") return shadow.diff(await tree("last"), await tree("now"));
  const number = numberOf(run, from);
  const before = number === 0 ? undefined : run.iterations[number - 1]?.from;
  return shadow.diff(before ?? treeOf(run, 0), treeOf(run, number));
}

export interface Restored {
  readonly dir: string;
  readonly iteration: number;
  readonly tree: string;
  /** The files as they were before, to go back to. */
  readonly saved: string;
}

/** Puts a snapshot back into the workspace; what was there is captured first and recorded. */
export async function restoreRun(app: App, id: string, name: string): Promise<Restored> {
  const found = await loadRun(app, id);
  const release = holdWorkspace(app, found);
  try {
    const run = await loadRun(app, id);
    const iteration = numberOf(run, name);
    const tree = treeOf(run, iteration);
    const saved = (await shadowOf(app, run).restore(tree)).tree;
    const body = { type: "workspace.restored" as const, iteration, tree, saved };
    const event = stamp(run, body, { time: new Date().toISOString(), elapsedMs: run.elapsedMs });
    await app.store.append(id, run.seq, [event]);
    return { dir: run.dir, iteration, tree, saved };
  } finally {
    release();
  }
}
