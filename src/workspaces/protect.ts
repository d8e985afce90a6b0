// Protected files: kept byte for byte, compared on disk, put back.
import type { Protection } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import { compare, type Sealed } from "./protect/compare.ts";
import { idOf, looker } from "./protect/entry.ts";
import { matcher } from "./protect/matcher.ts";
import { putBack } from "./protect/put-back.ts";
import { type Stored, seals } from "./protect/seals.ts";
import { shown } from "./protect/show.ts";
import { filesMatching } from "./protect/walk.ts";

export interface ShadowPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
}

function* read(dir: string, paths: readonly Protection[]): Generator<Stored> {
  const look = looker(dir);
  for (const path of filesMatching(dir, paths.map(matcher))) {
    const mode = look.entry(path)?.mode;
    const bytes = look.bytes(path);
    if (!bytes || !mode || mode === "other")
      throw new Error(
        `cannot read ${path}, which is protected; make it readable, or leave it out of protect`,
      );
    yield { path, mode, id: idOf(bytes), bytes };
  }
}

export function protector({ gitDir, dir }: ShadowPlace): Pick<Workspace, "seal" | "tampering" | "mend"> {
  const store = seals(gitDir);
  const known = new Map<string, Promise<Sealed>>();

  const opened = async (seal: string): Promise<Sealed> => {
    const kept = new Map<string, Buffer>();
    const blob = async (id: string): Promise<Buffer> => {
      const bytes = kept.get(id) ?? (await store.blobs([id])).get(id) ?? Buffer.alloc(0);
      kept.set(id, bytes);
      return bytes;
    };
    return { entries: await store.list(seal), blob, blobs: store.blobs };
  };
  const sealedAs = (seal: string): Promise<Sealed> => {
    const sealed = known.get(seal) ?? opened(seal);
    known.set(seal, sealed);
    return sealed;
  };

  return {
    seal: (paths) => store.store(read(dir, paths)),
    tampering: async (seal, paths, there = dir) => {
      const found = await compare(there, await sealedAs(seal), paths.map(matcher));
      return found.length === 0 ? undefined : shown(there, seal, found, store);
    },
    mend: async (seal, paths, into = dir) => {
      const sealed = await sealedAs(seal);
      await putBack(into, await compare(into, sealed, paths.map(matcher)), sealed);
    },
  };
}
