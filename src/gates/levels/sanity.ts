// Level 3: finds what is rarely left in on purpose. The task decides whether a rule fails the gate or only warns.
import { sizeInside } from "#system/files-inside";
import type { DebugPattern } from "./debug-patterns.ts";
import { attempt, type Check, type Level, type Look, levelOf, type Result, resultOf } from "./level.ts";
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

type Found = Parameters<typeof resultOf>[1];

// Excludes seven equals signs, which also underline headings.
const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/u;

export function sanity({ largeFiles, debug, conflictMarkers, untested: fresh }: SanityOptions): Level {
  return levelOf(3, "sanity", [
    ...(largeFiles ? [check("large files", largeFiles.action, (look) => tooLarge(look, largeFiles))] : []),
    ...(debug ? [check("leftover debug", debug.action, (look) => leftovers(look, debug))] : []),
    ...(conflictMarkers
      ? [check("conflict markers", conflictMarkers.action, (look) => conflicts(look, conflictMarkers))]
      : []),
    ...(fresh ? [check("new source without tests", fresh.action, (look) => withoutTests(look, fresh))] : []),
  ]);
}

/** A rule that only warns never fails the gate, not even when its check breaks. */
function check(name: string, action: Action, find: (look: Look) => Promise<Found>): Check {
  const id = `L3 ${name}`;
  const named = (found: Found) => found.map((each) => ({ ...each, id: `${id}: ${each.id}` }));
  return {
    id,
    run: async (look): Promise<Result> => {
      const result = await attempt(id, async () => resultOf(id, named(await find(look))));
      return action === "fail" || result.status === "passed" ? result : { ...result, status: "warned" };
    },
  };
}

async function tooLarge(look: Look, { limit, ...selection }: Selection & { readonly limit: number }) {
  const { dir } = look.request;
  const found = [];
  for (const file of await select(look, selection)) {
    const size = await sizeInside(dir, file);
    if (size > limit)
      found.push({
        id: file,
        message: `${file} has ${megabytes(size)}`,
        location: file,
        expected: `at most ${megabytes(limit)}`,
        actual: megabytes(size),
      });
  }
  return found;
}

const megabytes = (bytes: number) =>
  bytes < 100_000 ? `${bytes} bytes` : `${Number((bytes / 1_000_000).toFixed(2))} MB`;

async function leftovers(look: Look, { patterns, except }: NonNullable<SanityOptions["debug"]>) {
  const found = [];
  for (const { files, pattern } of patterns)
    found.push(...(await search(look, { files, except }, new RegExp(pattern, "u"))));
  return found.map(({ file, line, text, more }) => ({
    id: file,
    message: `${text}${more > 0 ? ` (and ${more} more)` : ""}`,
    location: `${file}:${line}`,
  }));
}

async function conflicts(look: Look, selection: Selection) {
  const found = await search(look, selection, CONFLICT);
  return found.map(({ file, line, text }) => ({
    id: file,
    message: `an unfinished merge: ${text}`,
    location: `${file}:${line}`,
  }));
}

async function withoutTests(look: Look, options: UntestedOptions) {
  const files = await untested(look, options);
  return files.map((file) => ({ id: file, message: `no test file is named after ${file}`, location: file }));
}
