// One clean room: a fresh copy of a tree that no agent has touched, made ready, and put right after each gate.
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
  /** Folder to make the room in. */
  readonly within: string;
  /** Writes the tree, with what is protected as it was sealed, into an empty folder. */
  copy(dir: string): Promise<void>;
  /** What is protected and is not as it was sealed. */
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
  /** Puts the files of the tree back, takes away what is new, and says what was found. */
  tidy(): Promise<Tidied>;
}

export interface Tidied {
  /** Files that are protected and were not as they had been. */
  readonly protected: readonly string[];
  /** What set-up had made is no longer as it was: another gate needs another room. */
  readonly spoiled: boolean;
}

export async function openRoom(plan: RoomPlan): Promise<Room> {
  // Not to be guessed: what is left of an agent must not be waiting there.
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
