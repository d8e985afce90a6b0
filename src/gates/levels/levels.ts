// Verifies in levels, cheapest first: contracts, tests, black-box, sanity. Each level requires all lower ones to pass.
import { defineGate } from "#options/part";
import { UsageError } from "#spec/errors";
import type { Gate, JudgeRequest } from "#spec/gate";
import { contextFor, type Level, type Result } from "./level.ts";
import { type LevelsOptions, levelsOf, levelsOptions } from "./options.ts";
import { type JudgedLevel, levelsVerdict } from "./verdict.ts";

function levels(name: string, options: LevelsOptions): Gate {
  const all = levelsOf(options);
  if (all.length === 0)
    throw new UsageError(
      `gate "${name}" has no checks: expected at least one, because nothing to run is not a pass`,
    );
  return {
    name,
    isDeterministic: true,
    judge: async (request, signal) => {
      const began = performance.now();
      const judged: JudgedLevel[] = [];
      for (const level of all) {
        const mayRun = !signal.aborted && judged.every((below) => below.isPassed);
        judged.push(judgedLevel(level, mayRun ? await resultsOf(level, request, signal) : []));
      }
      return levelsVerdict(judged, Math.round(performance.now() - began));
    },
  };
}

// Lists the files anew for every level, because commands of one level may create files for the next.
async function resultsOf(
  level: Level,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for await (const result of level.run(contextFor(request, signal))) results.push(result);
  return results;
}

function judgedLevel(level: Level, results: readonly Result[]): JudgedLevel {
  const good = results.filter(({ status }) => status === "passed" || status === "warned");
  return { level, results, isPassed: good.length === level.ids.length };
}

export const levelsGate = defineGate({
  type: "levels",
  summary: "Verifies in levels, cheapest first: contracts, tests, black-box cases, sanity.",
  options: levelsOptions,
  helper: <Options extends object>(options: Options) => ({ type: "levels" as const, ...options }),
  create: (options, { name }) => levels(name, options),
});
