// Every run as a row of a list, made once and again only when its record has grown.
import { setImmediate as breathe } from "node:timers/promises";
import { TamperedError } from "#spec/errors";
import type { StateWord, Summary } from "#spec/overview";
import type { Run } from "#spec/run";
import type { RunRow } from "#spec/store";
import { loadDrivers } from "#state/acquire-run";
import type { App } from "#state/context";
import { summaryOf, summaryOfTampered } from "./overview.ts";
import type { KeptRuns } from "./run-cache.ts";
import { progressOf, stateWord } from "./run-view.ts";
import { NOTHING, type Tally, tallyOf } from "./tally.ts";

export interface Summed {
  readonly summary: Summary;
  readonly tally: Tally;
}

export interface Summaries {
  of(row: RunRow): Promise<Summed>;
  /** Only its state, which is little work also for a long run that grows. */
  stateOf(row: RunRow): Promise<StateWord>;
  /** Likewise for many, without keeping others from their turn. */
  ofAll(rows: readonly RunRow[]): Promise<Summed[]>;
}

interface Known extends Summed {
  readonly seq: number;
  /** Of a run that somebody should be driving: whether somebody does is looked at each time. */
  readonly run?: Pick<Run, "id" | "dir" | "state" | "ended" | "submission">;
}

const AT_ONCE = 20;
const ASK_AGAIN_MS = 250;

export function summaries(app: App, kept: KeptRuns): Summaries {
  const known = new Map<string, Known>();
  let asked: { readonly at: number; readonly drivers: ReturnType<typeof loadDrivers> } | undefined;
  /** One question for a whole list. */
  const drivers = () => {
    if (!asked || performance.now() - asked.at > ASK_AGAIN_MS)
      asked = { at: performance.now(), drivers: loadDrivers(app) };
    return asked.drivers;
  };

  const make = async (row: RunRow): Promise<Known> => {
    try {
      const { run } = await kept.get(row.id);
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
    const before = known.get(row.id);
    const found = before?.seq === row.seq ? before : await make(row);
    known.set(row.id, found);
    if (!found.run) return found;
    const state = stateWord({ run: found.run, driver: (await drivers())(found.run) });
    return { tally: found.tally, summary: { ...found.summary, state } };
  };

  const stateOf = async (row: RunRow): Promise<StateWord> => {
    if (known.get(row.id)?.seq === row.seq) return (await of(row)).summary.state;
    try {
      const { run } = await kept.get(row.id);
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
        if (at % AT_ONCE === AT_ONCE - 1) await breathe();
        all.push(await of(row));
      }
      return all;
    },
  };
}
