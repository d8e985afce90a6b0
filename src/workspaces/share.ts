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

interface PackTarget {
  /** The shadow's git directory. */
  readonly gitDir: string;
  readonly run: string;
  readonly packs: SharedPacks;
  /** A tree that every machine can get from another source. */
  readonly base?: string;
}

let scratches = 0;

/** Opens the file on the first read. */
async function* streamFile(file: string): AsyncGenerator<Buffer> {
  yield* fs.createReadStream(file, { highWaterMark: 1_048_576 });
}

/** Shares a tree by storing a pack of its new objects. */
export function shareByPack({ gitDir, run, packs, base }: PackTarget): Share {
  let shared: Promise<Set<string>> | undefined;
  const listShared = async () => {
    const trees = (await packs.list(run)).flatMap((pack) => pack.trees);
    return new Set(base === undefined ? trees : [base, ...trees]);
  };
  return async (tree) => {
    shared ??= listShared();
    const known = await shared;
    if (known.has(tree)) return;
    const scratch = path.join(gitDir, `share.${process.pid}.${scratches++}`);
    // Left by a killed process that had the same pid.
    removeAll(scratch);
    privateDir(scratch);
    try {
      const pack = await packTrees(gitDir, { trees: [tree], into: scratch, known: [...known] });
      await packs.keep(run, [tree], streamFile(pack));
      known.add(tree);
    } finally {
      removeAll(scratch);
    }
  };
}

/** Warns once and stops sharing when a snapshot is too large: a run must not fail because only this machine has it. */
export function warnOnTooLarge(share: Share, warn: (text: string) => void): Share {
  let gaveUp = false;
  return async (tree) => {
    if (gaveUp) return;
    try {
      await share(tree);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      gaveUp = true;
      warn(`${error.message}. The run continues on this machine only: no other machine can get its files`);
    }
  };
}

/** Wraps a workspace so that it shares every tree before returning it. */
export function withSharing(workspace: Workspace, share: Share): Workspace {
  return {
    ...workspace,
    snapshot: async (since, base) => {
      const snapshot = await workspace.snapshot(since, base);
      await share(snapshot.tree);
      return snapshot;
    },
    restore: async (tree) => {
      const saved = await workspace.restore(tree);
      await share(saved.tree);
      return saved;
    },
    findOutputs: async (request) => {
      const outputs = await workspace.findOutputs(request);
      for (const tree of Object.values(outputs.trees)) await share(tree);
      return outputs;
    },
    seal: async (paths) => {
      const seal = await workspace.seal(paths);
      await share(seal);
      return seal;
    },
  };
}
