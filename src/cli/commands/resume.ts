// converge resume
import { acquireHere } from "#runs/placement/acquire";
import { UsageError } from "#spec/errors";
import type { Limits } from "#spec/task";
import { isWaitingForPerson, refuseAway, refuseConverged } from "#state/can-resume";
import { findRun } from "#state/find-run";
import { stateWord, viewOf } from "#views/run-view";
import { next } from "../output/next.ts";
import { driveAndShow } from "../support/drive-and-show.ts";
import { exitCodeOf } from "../support/exit-code.ts";
import { number } from "../support/number.ts";
import { openWithQueue } from "../support/open-context.ts";
import { watch } from "./watch.ts";

export interface ResumeFlags {
  readonly maxIterations?: string;
  readonly maxTime?: string;
  readonly maxCost?: string;
  readonly allowErroredBaseline?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly here?: boolean;
}

async function limitsFrom(flags: ResumeFlags): Promise<Partial<Limits> | undefined> {
  const { readLimits } = await import("#config/limits");
  const given = { iterations: number(flags.maxIterations), time: flags.maxTime, cost: number(flags.maxCost) };
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : readLimits(Object.fromEntries(entries));
}

export async function resume(given: string, flags: ResumeFlags): Promise<number> {
  const app = openWithQueue();
  const id = await findRun(app, given);
  const view = await viewOf(app, id);
  if (!view) throw new UsageError(`run ${id} has no events`);
  const { run } = view;
  refuseAway(run);
  if (!flags.wait && (await isWaitingForPerson(app, run))) {
    const steps = next(run).map((step) => `  ${step.command}    ${step.why}\n`);
    process.stderr.write(`run ${id} is ${stateWord(view)}: ${run.waitingFor?.reason}\n${steps.join("")}`);
    return exitCodeOf(run);
  }
  const limits = await limitsFrom(flags);
  if (run.submission && app.queue && !limits && !flags.here && !flags.allowErroredBaseline) {
    refuseConverged(run);
    await app.queue.put(id, run.submission, { reopen: run.seq });
    await app.queue.close();
    process.stderr.write(`run ${id} is in the queue again; drive it on this machine with --here\n`);
    return watch(id, flags, run.seq);
  }
  const hold = await acquireHere(app, id, (text) => process.stderr.write(`${text}\n`));
  return driveAndShow(app, id, {
    json: flags.json ?? false,
    wait: flags.wait ?? false,
    hold,
    ...(limits && { limits }),
    ...(flags.allowErroredBaseline && { allowErroredBaseline: true }),
  });
}
