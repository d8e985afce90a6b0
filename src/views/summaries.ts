// Cache of run summaries: each is computed once, and again only when the run has new events.
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
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

/** Who drives which run, looked up once for a whole list. */
function driverLookup(app: Context): () => ReturnType<typeof loadDrivers> {
  let last: { readonly at: number; readonly drivers: ReturnType<typeof loadDrivers> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > DRIVERS_TTL_MS)
      last = { at: performance.now(), drivers: loadDrivers(app) };
    return last.drivers;
  };
}

function summarizeRun(run: Run): CachedSummary {
  const progress = progressOf(run);
  const { id, dir, state, ended, submission } = run;
  return {
    seq: run.seq,
    summary: summaryOf({ run, progress }),
    tally: tallyOf(run, progress),
    ...(!ended && state === "running" && { run: { id, dir, state, ...(submission && { submission }) } }),
  };
}

async function summarize(runCache: RunCache, row: RunRow): Promise<CachedSummary> {
  try {
    return summarizeRun((await runCache.get(row.id)).run);
  } catch (error) {
    if (!(error instanceof TamperedError)) throw error;
    const summary = summaryOfTampered({ row, tampered: error.message });
    return { seq: row.seq, summary, tally: NOTHING };
  }
}

export function summaries(app: Context, runCache: RunCache): Summaries {
  const cache = new Map<string, CachedSummary>();
  const drivers = driverLookup(app);

  const of = async (row: RunRow): Promise<Summed> => {
    const before = cache.get(row.id);
    const cached = before?.seq === row.seq ? before : await summarize(runCache, row);
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
        if (at % RUNS_PER_YIELD === RUNS_PER_YIELD - 1) await yieldToEventLoop();
        all.push(await of(row));
      }
      return all;
    },
  };
}
