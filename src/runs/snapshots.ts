// Finds, compares and restores snapshots of a run by name: a number, base, best, last, now, or a tree id prefix.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { best } from "#rules/best-iteration";
import { type NamedTree, treesIn } from "#rules/named-trees";
import { UsageError } from "#spec/errors";
import type { Iteration, Run } from "#spec/run";
import { acquireWorkspace } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { refuseAgents } from "#state/refuse-agents";
import { openShadow, type Shadow } from "#workspaces/shadow/shadow";
import { openFiles } from "./open-workspace.ts";
import { placeHere, runIn } from "./placement/acquire.ts";
import { fetchSnapshots } from "./placement/fetch-snapshots.ts";
import { shareFor } from "./placement/share-snapshots.ts";
import { recordFact } from "./recording/record.ts";

/** Opens the shadow after fetching missing trees. Works without the workspace itself. */
async function shadowWith(app: Context, run: Run, trees: readonly string[]): Promise<Shadow> {
  await fetchSnapshots(app, run, trees);
  const gitDir = app.home.shadowOf(run.dir);
  const dir = path.resolve(run.dir);
  return openShadow(gitDir, fs.existsSync(dir) ? dir : gitDir);
}

/** The tree of the current files, taken with a copy of the index: a run may be using the shadow's own. */
async function treeNow(app: Context, run: Run): Promise<string> {
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

/** A tree id prefix; a shorter one could be an iteration number. */
const TREE_ID = /^[0-9a-f]{7,64}$/;

function snapshotOf(run: Run, number: number, recorded: readonly NamedTree[]): NamedTree {
  const tree = (number === 0 ? run.baseline : run.iterations[number - 1])?.snapshot?.tree;
  if (tree) return { iteration: number, tree };
  const left = recorded.findLast(({ iteration }) => iteration === number);
  const kept = left ? `; what there was is kept as ${left.tree.slice(0, 12)}` : "";
  throw new UsageError(`iteration ${number} of run ${run.id} ended before its snapshot was taken${kept}`);
}

function find(run: Run, name: string, recorded: readonly NamedTree[]): NamedTree {
  const byId = TREE_ID.test(name) && recorded.findLast(({ tree }) => tree.startsWith(name));
  return byId || snapshotOf(run, numberOf(run, name), recorded);
}

/** A truncated diff and its number of files. */
export interface ShortDiff {
  readonly text: string;
  readonly files: number;
}

/** Diffs between any two of these trees of the run. */
export async function shortDiffs(app: Context, run: Run, trees: readonly string[]) {
  const shadow = await shadowWith(app, run, trees);
  return {
    between: async (from: string, to: string, most: number): Promise<ShortDiff> => ({
      text: await shadow.diff(from, to, most),
      files: await shadow.differing(from, to),
    }),
    close: () => shadow.close(),
  };
}

/** Names of two snapshots to compare, or of one iteration; without names, the whole run. */
interface DiffNames {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

async function treesFor(app: Context, id: string, { from, to }: DiffNames) {
  const { run, recorded } = await load(app, id);
  const tree = async (name: string) => (name === "now" ? treeNow(app, run) : find(run, name, recorded).tree);
  if (from === undefined) return { run, before: await tree("base"), after: await tree("last") };
  if (to !== undefined) return { run, before: await tree(from), after: await tree(to) };
  if (from === "now") return { run, before: await tree("last"), after: await tree("now") };
  const { iteration, tree: after } = find(run, from, recorded);
  return { run, before: run.iterations[iteration - 1]?.from ?? (await tree("base")), after };
}

/** The diff between two names, of one iteration, or without names of the whole run. */
export async function diffRun(app: Context, id: string, names: DiffNames = {}): Promise<string> {
  const { run, before, after } = await treesFor(app, id, names);
  const shadow = await shadowWith(app, run, [before, after]);
  try {
    return await shadow.diff(before, after);
  } finally {
    await shadow.close();
  }
}

/** The named iteration whose changes to protected files were undone; without a name, the last one. */
function undoneIn(run: Run, name: string | undefined): Iteration {
  const isUndone = ({ tampering }: Iteration) => tampering?.action === "restore";
  const number = name === undefined ? undefined : numberOf(run, name);
  const found = run.iterations.findLast(
    (one) => isUndone(one) && (number === undefined || one.number === number),
  );
  if (found) return found;
  const where = number === undefined ? `run ${run.id}` : `iteration ${number} of run ${run.id}`;
  throw new UsageError(`nothing was undone in ${where}: no protected file was changed`);
}

/** The agent's changes to protected files in an iteration, before they were undone. */
export async function undoneDiff(app: Context, id: string, name?: string): Promise<string> {
  const run = await loadRun(app, id);
  const { number, snapshot, tampering } = undoneIn(run, name);
  const [before, after] = [snapshot?.tree, tampering?.tree];
  if (before !== undefined && after !== undefined && before !== after) {
    const shadow = await shadowWith(app, run, [before, after]);
    const diff = await shadow.diff(before, after).finally(() => shadow.close());
    if (diff !== "") return diff;
  }
  // Ignored files are in no tree: only the recorded diff has their changes.
  const events = await app.store.read(id);
  const told = events.findLast((event) => event.type === "protected.changed" && event.iteration === number);
  return told?.type === "protected.changed" ? told.diff : "";
}

/** The named iteration, if changes to protected files were undone in it. */
export async function undoneIterationOf(
  app: Context,
  id: string,
  name: string,
): Promise<Iteration | undefined> {
  const run = await loadRun(app, id);
  if (name === "now" || TREE_ID.test(name)) return undefined;
  const iteration = run.iterations[numberOf(run, name) - 1];
  return iteration?.tampering?.action === "restore" ? iteration : undefined;
}

export interface Restored extends NamedTree {
  readonly dir: string;
  /** Tree of the files before the restore. */
  readonly saved: string;
}

/** Restores a snapshot into the workspace; the current files are saved first and recorded. */
export async function restoreRun(
  app: Context,
  { id, snapshot }: { readonly id: string; readonly snapshot: string },
  warn: (text: string) => void = () => {},
): Promise<Restored> {
  const known = await loadRun(app, id);
  await refuseAgents(app, known, "restore");
  const { dir } = await placeHere(app, known);
  const { release } = await acquireWorkspace(app, { id, dir });
  try {
    const { run: recordedRun, recorded } = await load(app, id);
    const run = runIn(recordedRun, dir);
    const { iteration, tree } = find(run, snapshot, recorded);
    const saved = await putBack(app, run, tree);
    const body = { type: "workspace.restored" as const, iteration, tree, saved };
    await recordFact(app, run, { body, warn });
    return { dir, iteration, tree, saved };
  } finally {
    await release();
  }
}

/** Shares the saved tree with other machines before the restore is recorded. */
async function putBack(app: Context, run: Run, tree: string): Promise<string> {
  await fetchSnapshots(app, run, [tree]);
  // Opened with the run's exclude rules, so that excluded files are not deleted for being in no snapshot.
  const workspace = await openFiles(app, run);
  try {
    const saved = (await workspace.restore(tree)).tree;
    await (await shareFor(app, run))?.(saved);
    return saved;
  } finally {
    await workspace.close();
  }
}

async function load(app: Context, id: string): Promise<{ run: Run; recorded: readonly NamedTree[] }> {
  const run = await loadRun(app, id);
  return { run, recorded: (await app.store.read(id)).flatMap(treesIn) };
}
