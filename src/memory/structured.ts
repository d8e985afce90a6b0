// Memory of the last iterations as JSON lines, for agents, templates and programs that prefer data.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineMemory } from "#options/part";
import { count } from "#options/values";
import type { Memory } from "#spec/memory";
import type { Iteration, Judged, Run } from "#spec/run";
import { oneLine } from "#text/plain-text";
import { shortenNames } from "#text/shorten-names";
import {
  changedTests,
  claimIn,
  filesChanged,
  judgedFor,
  lastIterations,
  MAX_ENTRIES,
  MAX_ENTRY_CHARS,
  undoneIn,
} from "./facts.ts";
import { firstError } from "./first-error.ts";

export interface StructuredOptions {
  /** Number of iterations to keep. */
  readonly entries?: number;
  /** Maximum characters of the line of an iteration. */
  readonly chars?: number;
}

/** The level of detail: `list` limits each list, `text` each text. */
interface Detail {
  readonly list: number;
  readonly text: number;
}

/** The first level that fits is used, because a truncated line would not be JSON. */
const DETAILS: readonly Detail[] = [
  { list: 20, text: 300 },
  { list: 10, text: 150 },
  { list: 5, text: 80 },
  { list: 2, text: 40 },
  { list: 0, text: 20 },
];

/** The list, and the number of omitted items under another key. */
function limitedList<T>(key: string, items: readonly T[], more: number): object {
  return { [key]: items, ...(more > 0 && { [`${key}LeftOut`]: more }) };
}

/** A list of texts within the limits; absent when empty. */
function textList(key: string, items: readonly string[], { list, text }: Detail): object {
  if (items.length === 0) return {};
  const shown = shortenNames(
    items.slice(0, list).map((item) => oneLine(item, 2_000)),
    text,
  );
  return limitedList(key, shown, items.length - shown.length);
}

/** Formats the gates of one iteration. */
const gateLine =
  (run: Run, iteration: Iteration, detail: Detail) =>
  (judged: Judged): object => {
    const { gate, verdict } = judged;
    const { text } = detail;
    const { fixed, newlyFailing } = changedTests(run, iteration, judged);
    const line = {
      gate: oneLine(gate, 60),
      status: verdict.status,
      score: verdict.score,
      ...textList("fixed", fixed, detail),
    };
    if (verdict.status === "passed") return line;
    const tests = verdict.failures.flatMap(({ id }) => id ?? []);
    const error = firstError(verdict, run.dir);
    return {
      ...line,
      ...textList("newlyFailing", newlyFailing, detail),
      ...textList("failing", tests, detail),
      ...(error && {
        error: { message: oneLine(error.message, text), ...(error.at && { at: oneLine(error.at, text) }) },
      }),
    };
  };

function lineOf(run: Run, iteration: Iteration, detail: Detail): string {
  const { list, text } = detail;
  const { names, more } = filesChanged(iteration, list, text);
  const judged = judgedFor(run, iteration);
  const { agent } = iteration;
  const claim = claimIn(run, iteration);
  return JSON.stringify({
    iteration: iteration.number,
    ...limitedList("files", names, more),
    ...textList("undone", undoneIn(iteration), detail),
    ...(claim && { falseClaim: oneLine(claim.text, text) }),
    ...(agent &&
      !agent.ok && { agent: { failure: agent.failure, reason: oneLine(agent.reason ?? "", text) } }),
    ...limitedList(
      "gates",
      judged.slice(0, list).map(gateLine(run, iteration, detail)),
      judged.length - list,
    ),
  });
}

function fittingLine(run: Run, iteration: Iteration, chars: number): string {
  for (const detail of DETAILS) {
    const line = lineOf(run, iteration, detail);
    if (line.length <= chars) return line;
  }
  return JSON.stringify({ iteration: iteration.number });
}

export function structured({ entries = 5, chars = 1_000 }: StructuredOptions = {}): Memory {
  return {
    recall: (run) =>
      lastIterations(run, entries)
        .map((iteration) => fittingLine(run, iteration, chars))
        .join("\n"),
  };
}

export const structuredMemory = defineMemory({
  type: "structured",
  summary: "Files changed and gate results of the last iterations, as JSON lines.",
  options: z.strictObject({
    entries: count(MAX_ENTRIES).optional(),
    chars: z.int().min(100).max(MAX_ENTRY_CHARS).optional(),
  }),
  helper: (options: StructuredOptions = {}) => ({ type: "structured" as const, ...options }),
  create: (options) => structured(dropUndefined(options)),
});
