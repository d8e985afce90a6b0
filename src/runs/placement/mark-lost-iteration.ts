// An agent that had ended where nobody took a snapshot any more: its files stayed there, so the iteration is done again.
import { stamp } from "#loop/stamp";
import type { Run } from "#spec/run";
import type { App } from "#state/context";

/** Called once the workspace was made anew; whoever calls has the run. */
export async function redoWhatStayed(app: App, run: Run): Promise<void> {
  const current = run.iterations.at(-1);
  const tree = run.tree ?? current?.from;
  if (!current?.agent || current.snapshot || current.decision || tree === undefined) return;
  const reason = "the run was cut off before the agent's files were kept";
  const body = { type: "iteration.interrupted" as const, iteration: current.number, tree, reason };
  const moment = { time: new Date().toISOString(), elapsedMs: run.elapsedMs };
  await app.store.append(run.id, run.seq, [stamp(run, body, moment)]);
}
