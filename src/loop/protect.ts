// After the agent, before the snapshot: what is protected is looked at on disk, told of, and put back.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { reclaimOutputs } from "./outputs.ts";

/** Told of before anything is put back, with the changed files kept: nothing the agent did is lost. */
async function* guard(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { seal, task } = run;
  if (!task.protect || !seal) return;
  const { paths, action } = task.protect;
  const found = await ports.workspace.tampering(seal, paths);
  if (!found) return;
  // Cut off while it was being put back: that has been told.
  const told = iteration.tampering !== undefined && iteration.snapshot === undefined;
  if (!told) {
    const { tree } = await ports.workspace.snapshot();
    yield { type: "protected.changed", iteration: iteration.number, ...found, action, tree };
  }
  if (action === "restore") await ports.workspace.mend(seal, paths);
}

/** The snapshot of an iteration; the baseline's seals what is protected. */
export async function* capture(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { number } = iteration;
  if (number > 0) {
    yield* guard(run, iteration, ports);
    yield* reclaimOutputs(number, ports);
  }
  const paths = number === 0 ? (run.task.protect?.paths ?? []) : [];
  const seal = paths.length > 0 ? await ports.workspace.seal(paths) : undefined;
  const snapshot = await ports.workspace.snapshot(iteration.from, run.baseline.snapshot?.tree);
  yield { type: "snapshot.taken", iteration: number, snapshot, ...(seal && { seal }) };
}
