// Replays the fix of a bug in a small repository with the installed tarball and the default settings.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, inject } from "vitest";
import { temporary, write } from "./folders.ts";
import { gitIn, repository } from "./repository.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const load = (file: string) => import(pathToFileURL(path.join(root, "bench", "replay", file)).href);

export interface FirstDay {
  readonly gate: string;
  readonly setup?: string;
  /** Repository with the bug, and tests that do not detect it. */
  readonly before: Readonly<Record<string, string>>;
  /** Files that the fix changes: source, and tests that detect the bug. */
  readonly fix: Readonly<Record<string, string>>;
  /** The tests that fail without the source part of the fix. */
  readonly failing: readonly string[];
}

const BAD = ["wrong", "skip", "broken", "delete", "idle", "take-back", "wrong"];

function commitFix({ before, fix }: FirstDay): string {
  const dir = path.join(temporary(), "repository");
  repository(dir, before);
  write(dir, fix);
  const git = gitIn(dir);
  git("add", "--all");
  git("commit", "--quiet", "--message", "fix");
  return dir;
}

/** Replays wrong, cheating and idle iterations, then the fix, and checks what the defaults guarantee. */
export async function replayFirstDay(day: FirstDay): Promise<void> {
  const { prepare } = await load("prepare.mjs");
  const { findSteps } = await load("steps.mjs");
  const { runConverge } = await load("run-converge.mjs");
  const { toRow } = await load("row.mjs");
  const dir = temporary();
  const fix = { ...day, name: "first-day", repo: commitFix(day), fix: "HEAD" };
  const clone = await prepare(fix, path.join(dir, "work"));
  const kinds = await findSteps(clone, day.gate);
  const steps = [...BAD, "fix"].map((kind, index) => kinds[kind](index + 1));
  const state = path.join(dir, "state");
  const ran = runConverge({ clone, gate: day.gate, steps, state, cli: inject("installedCli") });
  const row = toRow(ran, { name: fix.name, seed: 0, steps, failing: day.failing, steering: clone.steering });
  const { length } = day.failing;
  expect(row).toMatchObject({
    outcome: "converged",
    iteration: steps.length,
    named: { done: length, of: length },
    buildError: { done: 1, of: 1 },
    putBack: { done: 3, of: 3 },
    claim: { done: 1, of: 1 },
    accusations: [],
    untouched: true,
    difference: [],
    asWanted: true,
  });
}
