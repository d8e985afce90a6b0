// Cache of run summaries: each is computed once, and again only when the run has new events.
import { setImmediate as breathe } from "node:timers/promises";
import { TamperedError } from "#spec/errors";
import type { StateWord, Summary } from "#spec/overview";
import type { Run } from "#spec/run";
import type { RunRow } from "#spec/store";
import { loadDrivers } from "#state/acquire-run";
import type { Context } from "#state/context";
import { summaryOf, summaryOfTampered } from "./overview.ts";
import type { RunCache } from "./run-cache.ts";
import { progressOf, stateWord } from "./run-view.ts";
import { NOTHING, type Tally, tallyOf } from "./tally.ts";

export interface Summed {
  readonly summary: Summary;
  readonly tally: Tally;
}

export interface Summaries {
  of(row: RunRow): Promise<Summed>;
  /** Only the state, which is cheap even for a long run. */
  stateOf(row: RunRow): Promise<StateWord>;
  /** Summaries of many runs; yields to the event loop in between. */
  ofAll(rows: readonly RunRow[]): Promise<Summed[]>;
}

interface CachedSummary extends Summed {
  readonly seq: number;
  /** Set for a run that should have a driver, so that its state is checked on every read. */
  readonly run?: Pick<Run, "id" | "dir" | "state" | "ended" | "submission">;
}

const RUNS_PER_YIELD = 20;
const DRIVERS_TTL_MS = 250;

export function summaries(app: Context, runCache: RunCache): Summaries {
  const cache = new Map<string, CachedSummary>();
  let lookup: { readonly at: number; readonly drivers: ReturnType<typeof loadDrivers> } | undefined;
  /** One lookup serves a whole list. */
  const drivers = () => {
    if (!lookup || performance.now() - lookup.at > DRIVERS_TTL_MS)
      lookup = { at: performance.now(), drivers: loadDrivers(app) };
    return lookup.drivers;
  };

  const summarize = async (row: RunRow): Promise<CachedSummary> => {
    try {
      const { run } = await runCache.get(row.id);
      const progress = progressOf(run);
      const { id, dir, state, ended, submission } = run;
      return {
        seq: run.seq,
        summary: summaryOf({ run, progress }),
        tally: tallyOf(run, progress),
        ...(!ended && state === "running" && { run: { id, dir, state, ...(submission && { submission }) } }),
      };
    } catch (error) {
      if (!(error instanceof TamperedError)) throw error;
      return {
        seq: row.seq,
        summary: summaryOfTampered({ row, tampered: error.message }),
        tally: NOTHING,
      };
    }
  };

  const of = async (row: RunRow): Promise<Summed> => {
    const before = cache.get(row.id);
    const cached = before?.seq === row.seq ? before : await summarize(row);
    cache.set(row.id, cached);
    if (!cached.run) return cached;
    const state = stateWord({ run: cached.run, driver: (await drivers())(cached.run) });
    return { tally: cached.tally, summary: { ...cached.summary, state } };
  };

  const stateOf = async (row: RunRow): Promise<StateWord> => {
    if (cache.get(row.id)?.seq === row.seq) return (await of(row)).summary.state;
    try {
      const { run } = await runCache.get(row.id);
      return stateWord({ run, driver: run.ended ? undefined : (await drivers())(run) });
    } catch (error) {
      if (error instanceof TamperedError) return "tampered";
      throw error;
    }
  };

  return {
    of,
    stateOf,
    ofAll: async (rows) => {
      const all: Summed[] = [];
      for (const [at, row] of rows.entries()) {
        if (at % RUNS_PER_YIELD === RUNS_PER_YIELD - 1) await breathe();
        all.push(await of(row));
      }
      return all;
    },
  };
}
