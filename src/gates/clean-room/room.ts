// One clean room: a fresh copy of a tree where no agent has worked, set up once and restored after each gate.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Evidence, Verdict } from "#spec/verdict";
import { privateDir, removeAll } from "#system/files";
import { changedIn, type Marks, marksByBytes, marksOf, putBack } from "./fingerprints.ts";

interface VerdictDetails {
  /** Additional text below the summary. */
  readonly details?: string;
  readonly evidence?: Evidence;
  readonly durationMs?: number;
}

/** The verdict when a gate was not run or its result does not count. */
export function erroredVerdict(
  summary: string,
  { details, evidence = {}, durationMs = 0 }: VerdictDetails = {},
): Verdict {
  const message = details ? `${summary}\n${details}` : summary;
  return {
    status: "errored",
    score: 0,
    summary,
    failures: [{ message }],
    evidence,
    durationMs: Math.round(durationMs),
  };
}

export interface RoomPlan {
  readonly tree: string;
  readonly iteration: number;
  /** Parent folder of the room. */
  readonly within: string;
  /** Writes the tree into an empty folder, with protected files as sealed. */
  copy(dir: string): Promise<void>;
  /** Protected files that differ from the seal. */
  findTampered(dir: string): Promise<readonly string[]>;
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
  readonly failure?: Verdict;
  /** Restores the tree's files, deletes new ones, and reports changes. */
  tidy(): Promise<TidyReport>;
}

export interface TidyReport {
  /** Protected files that were changed. */
  readonly tampered: readonly string[];
  /** Files of the set-up changed, so the next gate needs a new room. */
  readonly isSpoiled: boolean;
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
  let created: Marks = new Map();

  /** Restores the changed files; returns the protected ones among them. */
  const restore = async (changed: readonly string[]): Promise<readonly string[]> => {
    if (changed.length === 0) return [];
    const tampered = await plan.findTampered(dir);
    const pristine = privateDir(path.join(place, "pristine"));
    await plan.copy(pristine);
    putBack(changed, pristine, dir);
    removeAll(pristine);
    return tampered;
  };

  const tidy = async (): Promise<TidyReport> => {
    const now = await marksOf(dir, (name) => tree.has(name));
    const isSpoiled = changedIn(created, now).length > 0;
    for (const name of now.keys()) if (!tree.has(name) && !created.has(name)) removeAll(path.join(dir, name));
    removeAll(tmp);
    privateDir(tmp);
    return { tampered: await restore(changedIn(tree, now)), isSpoiled };
  };

  const prepare = async (): Promise<Verdict | undefined> => {
    const failure = await plan.setUp(dir, env);
    if (failure) return failure;
    const now = await marksOf(dir, (name) => tree.has(name));
    created = new Map([...now].filter(([name]) => !tree.has(name)));
    const [tampered] = await restore(changedIn(tree, now));
    if (tampered === undefined) return undefined;
    return erroredVerdict(`the set-up of the clean room changed a protected file: ${tampered}`);
  };

  const failure = await prepare();
  const { tree: id, iteration } = plan;
  return { tree: id, iteration, dir, env, ...(failure && { failure }), tidy };
}
