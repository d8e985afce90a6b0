// Level 3: finds what is rarely left in on purpose. The task decides whether a rule fails the gate or only warns.
import { sizeInside } from "#system/files-inside";
import type { DebugPattern } from "./debug-patterns.ts";
import {
  attempt,
  type Check,
  type CheckContext,
  type Level,
  levelOf,
  type Result,
  resultOf,
} from "./level.ts";
import { type Selection, search, select } from "./select.ts";
import { type UntestedOptions, untested } from "./untested.ts";

export type Action = "warn" | "fail";

export interface SanityOptions {
  readonly largeFiles?: (Selection & { readonly action: Action; readonly limit: number }) | undefined;
  readonly debug?:
    | {
        readonly action: Action;
        readonly patterns: readonly DebugPattern[];
        readonly except: readonly string[];
      }
    | undefined;
  readonly conflictMarkers?: (Selection & { readonly action: Action }) | undefined;
  readonly untested?: (UntestedOptions & { readonly action: Action }) | undefined;
}

type Findings = Parameters<typeof resultOf>[1];

// Excludes seven equals signs, which also underline headings.
const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/u;

export function sanity({ largeFiles, debug, conflictMarkers, untested: newSources }: SanityOptions): Level {
  return levelOf(3, "sanity", [
    ...(largeFiles
      ? [check("large files", largeFiles.action, (context) => tooLarge(context, largeFiles))]
      : []),
    ...(debug ? [check("leftover debug", debug.action, (context) => leftovers(context, debug))] : []),
    ...(conflictMarkers
      ? [check("conflict markers", conflictMarkers.action, (context) => conflicts(context, conflictMarkers))]
      : []),
    ...(newSources
      ? [check("new source without tests", newSources.action, (context) => withoutTests(context, newSources))]
      : []),
  ]);
}

/** A rule that only warns never fails the gate, not even when its check breaks. */
function check(name: string, action: Action, find: (context: CheckContext) => Promise<Findings>): Check {
  const id = `L3 ${name}`;
  const named = (findings: Findings) => findings.map((each) => ({ ...each, id: `${id}: ${each.id}` }));
  return {
    id,
    run: async (context): Promise<Result> => {
      const result = await attempt(id, async () => resultOf(id, named(await find(context))));
      return action === "fail" || result.status === "passed" ? result : { ...result, status: "warned" };
    },
  };
}

async function tooLarge(
  context: CheckContext,
  { limit, ...selection }: Selection & { readonly limit: number },
) {
  const { dir } = context.request;
  const findings = [];
  for (const file of await select(context, selection)) {
    const size = await sizeInside(dir, file);
    if (size > limit)
      findings.push({
        id: file,
        message: `${file} is ${megabytes(size)}`,
        location: file,
        expected: `at most ${megabytes(limit)}`,
        actual: megabytes(size),
      });
  }
  return findings;
}

const megabytes = (bytes: number) =>
  bytes < 100_000 ? `${bytes} bytes` : `${Number((bytes / 1_000_000).toFixed(2))} MB`;

async function leftovers(context: CheckContext, { patterns, except }: NonNullable<SanityOptions["debug"]>) {
  const matches = [];
  for (const { files, pattern } of patterns)
    matches.push(...(await search(context, { files, except }, new RegExp(pattern, "u"))));
  return matches.map(({ file, line, text, more }) => ({
    id: file,
    message: `${text}${more > 0 ? ` (and ${more} more)` : ""}`,
    location: `${file}:${line}`,
  }));
}

async function conflicts(context: CheckContext, selection: Selection) {
  const matches = await search(context, selection, CONFLICT);
  return matches.map(({ file, line, text }) => ({
    id: file,
    message: `merge conflict marker: ${text}`,
    location: `${file}:${line}`,
  }));
}

async function withoutTests(context: CheckContext, options: UntestedOptions) {
  const files = await untested(context, options);
  return files.map((file) => ({ id: file, message: `no test file is named after ${file}`, location: file }));
}
