// One clean room: a fresh copy of a tree where no agent has worked, set up once and restored after each gate.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Verdict } from "#spec/verdict";
import { privateDir, removeAll } from "#system/files";
import { errored } from "./errored-verdict.ts";
import { changedIn, type Marks, marksByBytes, marksOf, putBack } from "./fingerprints.ts";

export interface RoomPlan {
  readonly tree: string;
  readonly iteration: number;
  /** Parent folder of the room. */
  readonly within: string;
  /** Writes the tree into an empty folder, with protected files as sealed. */
  copy(dir: string): Promise<void>;
  /** Protected files that differ from the seal. */
  tampered(dir: string): Promise<readonly string[]>;
  environment(tmp: string): Readonly<Record<string, string>>;
  /** Undefined when the room is ready. */
  setUp(dir: string, env: Readonly<Record<string, string>>): Promise<Verdict | undefined>;
}

export interface Room {
  readonly tree: string;
  readonly iteration: number;
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Why no gate can judge here. */
  readonly trouble?: Verdict;
  /** Restores the tree's files, deletes new ones, and reports changes. */
  tidy(): Promise<Tidied>;
}

export interface Tidied {
  /** Protected files that were changed. */
  readonly protected: readonly string[];
  /** Files of the set-up changed, so the next gate needs a new room. */
  readonly spoiled: boolean;
}

export async function openRoom(plan: RoomPlan): Promise<Room> {
  // A random path, so that a leftover process of an agent cannot prepare it.
  const parent = privateDir(path.join(plan.within, randomUUID()));
  const place = fs.realpathSync(parent);
  const dir = privateDir(path.join(place, "room"));
  const tmp = privateDir(path.join(place, "tmp"));
  await plan.copy(dir);
  const tree = await marksByBytes(dir);
  const env = plan.environment(tmp);
  let made: Marks = new Map();

  const restore = async (changed: readonly string[]): Promise<readonly string[]> => {
    if (changed.length === 0) return [];
    const guilty = await plan.tampered(dir);
    const pristine = privateDir(path.join(place, "pristine"));
    await plan.copy(pristine);
    putBack(changed, pristine, dir);
    removeAll(pristine);
    return guilty;
  };

  const tidy = async (): Promise<Tidied> => {
    const now = await marksOf(dir, (name) => tree.has(name));
    const spoiled = changedIn(made, now).length > 0;
    for (const name of now.keys()) if (!tree.has(name) && !made.has(name)) removeAll(path.join(dir, name));
    removeAll(tmp);
    privateDir(tmp);
    return { protected: await restore(changedIn(tree, now)), spoiled };
  };

  const prepare = async (): Promise<Verdict | undefined> => {
    const trouble = await plan.setUp(dir, env);
    if (trouble) return trouble;
    const now = await marksOf(dir, (name) => tree.has(name));
    made = new Map([...now].filter(([name]) => !tree.has(name)));
    const [guilty] = await restore(changedIn(tree, now));
    return guilty === undefined ? undefined : errored(`${guilty} changed while the clean room was set up`);
  };

  const trouble = await prepare();
  const { tree: id, iteration } = plan;
  return { tree: id, iteration, dir, env, ...(trouble && { trouble }), tidy };
}
