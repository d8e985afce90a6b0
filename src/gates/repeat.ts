// Repeats a flaky gate until enough runs passed, or no longer can.
import path from "node:path";
import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { GatePolicy } from "#spec/task";
import { makeVerdict, type Verdict } from "#spec/verdict";
import { privateDir } from "#system/files";

type Repeat = NonNullable<GatePolicy["repeat"]>;

const isPassed = ({ status }: Verdict) => status === "passed";
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function isDecided(verdicts: readonly Verdict[], { runs, passes }: Repeat): boolean {
  const good = verdicts.filter(isPassed).length;
  return good >= passes || verdicts.length - good > runs - passes;
}

/** Total usage of all runs; absent when none reported any. */
function usageOf(verdicts: readonly Verdict[]): { usage?: Usage } {
  const usages = verdicts.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return {};
  return { usage: sumUsage(usages) };
}

/** Combines the verdicts into one, based on the last one that agrees with the outcome. */
function combine(verdicts: readonly Verdict[], { runs, passes }: Repeat): Verdict {
  const good = verdicts.filter(isPassed);
  const enough = good.length >= passes;
  const bad = verdicts.filter((verdict) => !isPassed(verdict));
  const base = enough ? good.at(-1) : (bad.findLast(({ status }) => status === "failed") ?? bad.at(-1));
  if (!base) throw new Error("a repeated gate has judged at least once");
  const outcomes = verdicts.map(({ status }) => status).join(", ");
  const needed = enough ? "" : `, ${passes} of ${runs} required`;
  return {
    ...base,
    score: enough ? 1 : sum(verdicts.map(({ score }) => score)) / verdicts.length,
    summary: `${good.length} of ${verdicts.length} runs passed${needed}: ${outcomes}`,
    durationMs: sum(verdicts.map(({ durationMs }) => durationMs)),
    attempts: verdicts.map(({ status, summary }) => ({ status, summary })),
    ...usageOf(verdicts),
  };
}

export function repeated(gate: Gate, repeat: Repeat): Gate {
  return {
    name: gate.name,
    isDeterministic: gate.isDeterministic ?? false,
    judge: async (request, signal) => {
      const verdicts: Verdict[] = [];
      do {
        const files = privateDir(path.join(request.files, String(verdicts.length + 1)));
        const verdict = await gate.judge({ ...request, files }, signal);
        // Nothing was judged, and a repetition would give the same.
        if (verdict.status === "waiting" || verdict.status === "skipped") return verdict;
        verdicts.push(verdict);
      } while (!isDecided(verdicts, repeat) && !signal.aborted);
      if (isDecided(verdicts, repeat)) return combine(verdicts, repeat);
      return makeVerdict("errored", `interrupted after ${verdicts.length} of ${repeat.runs} runs`);
    },
  };
}
