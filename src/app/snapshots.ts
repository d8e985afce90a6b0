// Snapshots of a run, by the names people use: a number, base, best, last, now, or the beginning of a tree's id.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { stamp } from "#loop/stamp";
import { best } from "#spec/best";
import { UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { plain } from "#spec/text";
import { openShadow, type Shadow } from "#workspaces/shadow";
import { refuseAgents } from "./agents-may-not.ts";
import { loadRun } from "./drive.ts";
import { holdWorkspace } from "./hold.ts";
import type { App } from "./open.ts";

/** Snapshots can be compared also where the workspace is not. */
function shadowOf(app: App, run: Run): Shadow {
  const gitDir = app.home.shadowOf(run.dir);
  const dir = path.resolve(run.dir);
  if (app.store.presence && !fs.existsSync(gitDir))
    throw new UsageError(
      `the snapshots of run ${run.id} are not on this machine, only its record is; they lie where it was driven: on ${plain(run.resumedOn ?? run.host)}`,
    );
  return openShadow(gitDir, fs.existsSync(dir) ? dir : gitDir);
}

/** The files as they are, looked at in a copy of the index: a run may be at work with the shadow's own. */
async function treeNow(app: App, run: Run): Promise<string> {
  const gitDir = app.home.shadowOf(run.dir);
  const index = path.join(gitDir, `index.${randomUUID()}`);
  const own = path.join(gitDir, "index");
  if (fs.existsSync(own)) fs.copyFileSync(own, index);
  try {
    return (await openShadow(gitDir, path.resolve(run.dir), { index }).snapshot()).tree;
  } finally {
    fs.rmSync(index, { force: true });
  }
}

function numberOf(run: Run, name: string): number {
  if (name === "base") return 0;
  if (name === "last") return run.iterations.findLast((iteration) => iteration.snapshot)?.number ?? 0;
  if (name === "best") return best(run)?.iteration ?? 0;
  const number = Number(name);
  if (Number.isInteger(number) && number >= 0 && number <= run.iterations.length) return number;
  throw new UsageError(
    `run ${run.id} has no snapshot "${name}"; there are base, 1 to ${run.iterations.length}, best, last, now, and the trees it kept`,
  );
}

interface Named {
  readonly iteration: number;
  readonly tree: string;
}

/** Every snapshot that an event tells of: also what was cut off, what was undone, and what was there before a restore. */
export function treesIn(event: RunEvent): Named[] {
  switch (event.type) {
    case "snapshot.taken":
      return [{ iteration: event.iteration, tree: event.snapshot.tree }];
    case "iteration.interrupted":
    case "protected.changed":
      return [event];
    case "workspace.restored":
      return [event, { iteration: event.iteration, tree: event.saved }];
    default:
      return [];
  }
}

/** Shorter beginnings could be meant as the number of an iteration. */
const TREE_ID = /^[0-9a-f]{7,64}$/;

function snapshotOf(run: Run, number: number, recorded: readonly Named[]): Named {
  const tree = (number === 0 ? run.baseline : run.iterations[number - 1])?.snapshot?.tree;
  if (tree) return { iteration: number, tree };
  const left = recorded.findLast(({ iteration }) => iteration === number);
  const kept = left ? `; what there was is kept as ${left.tree.slice(0, 12)}` : "";
  throw new UsageError(`iteration ${number} of run ${run.id} ended before its snapshot was taken${kept}`);
}

function find(run: Run, name: string, recorded: readonly Named[]): Named {
  const byId = TREE_ID.test(name) && recorded.findLast(({ tree }) => tree.startsWith(name));
  return byId || snapshotOf(run, numberOf(run, name), recorded);
}

/** A diff as far as it is shown, and how many files it is about. */
export interface ShortDiff {
  readonly text: string;
  readonly files: number;
}

/** Between two trees of the run. */
export function shortDiffs(app: App, run: Run) {
  const shadow = shadowOf(app, run);
  return {
    between: async (from: string, to: string, most: number): Promise<ShortDiff> => ({
      text: await shadow.diff(from, to, most),
      files: await shadow.differing(from, to),
    }),
    close: () => shadow.close(),
  };
}

/** With two names, what lies between; with one, what that iteration did; with none, the whole run. */
export async function diffRun(app: App, id: string, from?: string, to?: string): Promise<string> {
  const { run, recorded } = await load(app, id);
  const shadow = shadowOf(app, run);
  const tree = async (name: string) => (name === "now" ? treeNow(app, run) : find(run, name, recorded).tree);
  if (from === undefined) return shadow.diff(await tree("base"), await tree("last"));
  if (to !== undefined) return shadow.diff(await tree(from), await tree(to));
  if (from === "now") return shadow.diff(await tree("last"), await tree("now"));
  const { iteration, tree: after } = find(run, from, recorded);
  const before = run.iterations[iteration - 1]?.from;
  return shadow.diff(before ?? (await tree("base")), after);
}

export interface Restored extends Named {
  readonly dir: string;
  /** The files as they were before, to go back to. */
  readonly saved: string;
}

/** Puts a snapshot back into the workspace; what was there is captured first and recorded. */
export async function restoreRun(app: App, id: string, name: string): Promise<Restored> {
  const found = await loadRun(app, id);
  await refuseAgents(app, found, "restore");
  const { release } = await holdWorkspace(app, found);
  try {
    const { run, recorded } = await load(app, id);
    const { iteration, tree } = find(run, name, recorded);
    const saved = (await shadowOf(app, run).restore(tree)).tree;
    const body = { type: "workspace.restored" as const, iteration, tree, saved };
    const event = stamp(run, body, { time: new Date().toISOString(), elapsedMs: run.elapsedMs });
    await app.store.append(id, run.seq, [event]);
    return { dir: run.dir, iteration, tree, saved };
  } finally {
    await release();
  }
}

async function load(app: App, id: string): Promise<{ run: Run; recorded: readonly Named[] }> {
  const run = await loadRun(app, id);
  return { run, recorded: (await app.store.read(id)).flatMap(treesIn) };
}
