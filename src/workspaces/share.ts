// Shares snapshots with other machines: every tree can be fetched before the workspace returns its id.
import fs from "node:fs";
import path from "node:path";
import { TooLargeError } from "#spec/errors";
import type { SharedPacks } from "#spec/shared-packs";
import type { Workspace } from "#spec/workspace";
import { privateDir, removeAll } from "#system/files";
import { packTrees } from "./pack.ts";

/** Makes a tree of the shadow fetchable by other machines; does nothing if it already is. */
export type Share = (tree: string) => Promise<void>;

interface PackedPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  readonly run: string;
  readonly packs: SharedPacks;
  /** A tree that every machine can get from another source. */
  readonly base?: string;
}

let scratches = 0;

/** Opens the file on the first read. */
async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  yield* fs.createReadStream(file, { highWaterMark: 1_048_576 });
}

/** Shares a tree by storing a pack of its new objects. */
export function asPacks({ gitDir, run, packs, base }: PackedPlace): Share {
  let listed: Promise<Set<string>> | undefined;
  const list = async () => {
    const trees = (await packs.list(run)).flatMap((pack) => pack.trees);
    return new Set(base === undefined ? trees : [base, ...trees]);
  };
  return async (tree) => {
    listed ??= list();
    const known = await listed;
    if (known.has(tree)) return;
    const scratch = path.join(gitDir, `share.${process.pid}.${scratches++}`);
    // Left by a killed process that had the same pid.
    removeAll(scratch);
    privateDir(scratch);
    try {
      const pack = await packTrees(gitDir, [tree], scratch, [...known]);
      await packs.keep(run, [tree], bytesOf(pack));
      known.add(tree);
    } finally {
      removeAll(scratch);
    }
  };
}

/** Warns once and stops sharing when a snapshot is too large: a run must not fail because only this machine has it. */
export function orSaid(share: Share, warn: (text: string) => void): Share {
  let gaveUp = false;
  return async (tree) => {
    if (gaveUp) return;
    try {
      await share(tree);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      gaveUp = true;
      warn(`${error.message}. The run goes on, but only here: no other machine can have its files`);
    }
  };
}

/** Wraps a workspace so that it shares every tree before returning it. */
export function sharing(workspace: Workspace, share: Share): Workspace {
  return {
    ...workspace,
    snapshot: async (since, base) => {
      const taken = await workspace.snapshot(since, base);
      await share(taken.tree);
      return taken;
    },
    restore: async (tree) => {
      const saved = await workspace.restore(tree);
      await share(saved.tree);
      return saved;
    },
    findOutputs: async (request) => {
      const found = await workspace.findOutputs(request);
      for (const tree of Object.values(found.trees)) await share(tree);
      return found;
    },
    seal: async (paths) => {
      const seal = await workspace.seal(paths);
      await share(seal);
      return seal;
    },
  };
}
