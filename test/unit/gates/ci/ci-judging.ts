// Runs the `ci` gate against a fake GitHub server with a clock that does not wait.
import fs from "node:fs";
import path from "node:path";
import { vi } from "vitest";
import { ci } from "#gates/ci/ci";
import type { CiOptions } from "#gates/ci/options";
import type { Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import type { Clock } from "#system/clock";
import { exampleRequest, exampleRun } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { folders } from "../../../support/folders.ts";
import { COMMIT, type GithubServer, REPOSITORY } from "../../../support/github-server.ts";
import { quickClock } from "../../../support/quick-clock.ts";

export const TOKEN = "ghp_0123456789abcdefSECRET";

/** Sets repository and commit explicitly, so that the test needs no git repository. */
export const given = (server: GithubServer): CiOptions => ({
  repository: REPOSITORY,
  commit: COMMIT,
  baseUrl: server.url,
  requireCommitted: false,
});

export interface Judging extends CiOptions {
  readonly in?: { readonly dir: string; readonly files: string };
  readonly run?: Partial<Run>;
  readonly tree?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export async function judge(judging: Judging): Promise<Verdict> {
  const { in: places = folders(), run, tree, clock = quickClock(), signal, ...options } = judging;
  const known = { ...exampleRun([]), id: uniqueRun(), dir: places.dir, ...run };
  const request = exampleRequest({ run: known, ...places, ...(tree !== undefined && { tree }) });
  return ci("ci", options, clock).judge(request, signal ?? new AbortController().signal);
}

export function withToken(): void {
  vi.stubEnv("GITHUB_TOKEN", TOKEN);
}

/** Concatenates all files in a folder. */
export function textIn(dir: string): string {
  return fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
