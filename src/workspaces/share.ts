// Snapshots that other machines can fetch: every tree that a run is given is made so before anybody is told of it.
import fs from "node:fs";
import path from "node:path";
import { TooLargeError } from "#spec/errors";
import type { SharedPacks } from "#spec/shared-packs";
import type { Workspace } from "#spec/workspace";
import { privateDir, removeAll } from "#system/files";
import { packTrees } from "./pack.ts";

/** Makes a tree of the shadow fetchable, unless it is already. */
export type Share = (tree: string) => Promise<void>;

interface PackedPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  readonly run: string;
  readonly packs: SharedPacks;
  /** A tree that every machine can have from elsewhere. */
  readonly base?: string;
}

let scratches = 0;

/** Opened when somebody reads. */
async function* bytesOf(file: string): AsyncGenerator<Buffer> {
  yield* fs.createReadStream(file, { highWaterMark: 1_048_576 });
}

/** As a pack of what is new in it, in the store. */
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
    // Left by a process that was killed and had the same number.
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

/** A run does not fail because nobody else can go on with it: that is said once, and then no longer tried. */
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

/** The workspace, whose trees are shared when they are handed out. */
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
