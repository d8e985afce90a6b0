// Fetches the snapshots of a run that was driven on another machine, and verifies each pack before it adopts it.
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { namedTrees } from "#rules/named-trees";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { KeptPack, SharedPacks } from "#spec/shared-packs";
import type { Context } from "#state/context";
import { oneLine, plain } from "#text/plain-text";
import { adoptPack, missingTrees, verifyPack } from "#workspaces/pack";
import { fetchPushed } from "#workspaces/push";
import { baseTree, requireFetchable, withScratch } from "./repository-base.ts";

const WORDS = 300;

type Placed = Pick<Run, "id" | "task" | "head" | "dir" | "host" | "resumedOn">;

/** The shared packs of a run, and where they go. */
interface PackSource {
  readonly app: Context;
  readonly packs: SharedPacks;
  readonly run: Placed;
}

/** Fetches and verifies one pack: anybody with the database password could have written it. */
async function fetchPack({ app, packs, run }: PackSource, { number, trees }: KeptPack): Promise<void> {
  const { id, dir } = run;
  const gitDir = app.home.shadowOf(dir);
  await withScratch(app, async (scratch) => {
    const file = path.join(scratch, "received");
    await pipeline(packs.read(id, number), fs.createWriteStream(file, { flags: "wx", mode: 0o600 }));
    try {
      adoptPack(
        await verifyPack(file, { trees, scratch: path.join(scratch, "scratch.git"), upon: gitDir }),
        gitDir,
      );
    } catch (error) {
      throw new UsageError(
        `pack ${number} of the snapshots of run ${id} is not what was kept (${oneLine((error as Error).message, WORDS)}); nothing of it was taken in`,
      );
    }
  });
}

/** Fetches packs in order, because a pack may build on earlier ones, until no tree is missing. */
async function fetchPacks(source: PackSource, trees: readonly string[]): Promise<void> {
  const { app, packs, run } = source;
  const gitDir = app.home.shadowOf(run.dir);
  for (const pack of await packs.list(run.id)) {
    if ((await missingTrees(gitDir, trees)).length === 0) return;
    if ((await missingTrees(gitDir, pack.trees)).length > 0) await fetchPack(source, pack);
  }
}

/** Makes sure that the run's local shadow has these trees; by default all that its record names. */
export async function fetchSnapshots(app: Context, run: Placed, trees?: readonly string[]): Promise<void> {
  const { packs } = app.store;
  const { snapshots: url } = run.task.workspace;
  if (!packs && url === undefined) return;
  const needed = [...new Set(trees ?? namedTrees(await app.store.read(run.id)))];
  const gitDir = app.home.shadowOf(run.dir);
  const isMissing = async () => (await missingTrees(gitDir, needed)).length > 0;
  if (!(await isMissing())) return;
  await baseTree(app, run);
  if (url !== undefined) await fetchPushed({ gitDir, run: run.id, url: requireFetchable(url) });
  else if (packs) await fetchPacks({ app, packs, run }, needed);
  if (await isMissing())
    throw new UsageError(
      `not all snapshots of run ${run.id} are available on this machine: they were too large for the database or could not be pushed; they are on the machine that drove it: ${plain(run.resumedOn ?? run.host)}`,
    );
}
