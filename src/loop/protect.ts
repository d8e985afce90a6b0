// Checks protected files on disk and in the user's index after the agent, records changes, and restores the files.
import type { EventBody } from "#spec/event";
import type { Run } from "#spec/run";
import type { IndexCheck, Staged, Tampering } from "#spec/workspace";
import type { IterationContext } from "./step.ts";

const UNTOUCHED: Tampering = { changes: [], diff: "" };

/** What to restore in the index; undefined when the action is not `restore` or no index was saved. */
function indexCheck(run: Run, { changes }: Tampering): IndexCheck | undefined {
  const { seal, index, head, task } = run;
  if (!seal || !index || task.protect?.action !== "restore") return undefined;
  return { seal, index, paths: task.protect.paths, changes, ...(head && { head }) };
}

/** The event's fields: changes on disk, and files that are only staged. */
function eventFields(onDisk: Tampering, { changes, commit, problem }: Staged) {
  const paths = new Set(onDisk.changes.map(({ path }) => path.split("#")[0]));
  return {
    diff: onDisk.diff,
    changes: [...onDisk.changes, ...changes.filter(({ path }) => !paths.has(path))],
    ...(changes.length > 0 && { staged: changes.map(({ path }) => path) }),
    ...(commit && { commit }),
    ...(problem && { indexProblem: problem }),
  };
}

/** Records the change with a snapshot before it restores any file, so that none of the agent's work is lost. */
async function* restoreProtected({ run, iteration, ports }: IterationContext): AsyncGenerator<EventBody> {
  const { seal, task } = run;
  if (!task.protect || !seal) return;
  const { paths, action } = task.protect;
  const tampering = await ports.workspace.tampering(seal, paths);
  const onDisk = tampering ?? UNTOUCHED;
  const check = indexCheck(run, onDisk);
  const staged = check ? await ports.workspace.unstage(check) : { changes: [] };
  if (!tampering && staged.changes.length === 0) return;
  // Already recorded, when the restore was interrupted.
  const isRecorded = iteration.tampering !== undefined && iteration.snapshot === undefined;
  if (!isRecorded) {
    const { tree } = await ports.workspace.snapshot();
    const { number } = iteration;
    yield { type: "protected.changed", iteration: number, ...eventFields(onDisk, staged), action, tree };
  }
  if (action === "restore") await ports.workspace.mend(seal, paths);
}

/** Captures outputs that the agent has changed: they are its work now. */
async function* reclaimOutputs({ iteration, ports }: IterationContext): AsyncGenerator<EventBody> {
  const captured = await ports.workspace.reclaimOutputs();
  if (captured.length > 0) yield { type: "outputs.seen", iteration: iteration.number, paths: [], captured };
}

/** Takes the snapshot of an iteration; at the baseline it also seals protected files. */
export async function* capture(context: IterationContext): AsyncGenerator<EventBody> {
  const { run, iteration, ports } = context;
  const { number } = iteration;
  if (number > 0) {
    yield* reclaimOutputs(context);
    yield* restoreProtected(context);
  }
  const snapshot = await ports.workspace.snapshot(iteration.from, run.baseline.snapshot?.tree);
  // Seal after the snapshot, which has already stored most of those files.
  const paths = number === 0 ? (run.task.protect?.paths ?? []) : [];
  const seal = paths.length > 0 ? await ports.workspace.seal(paths) : undefined;
  const index = seal && (await ports.workspace.keepIndex(paths));
  yield {
    type: "snapshot.taken",
    iteration: number,
    snapshot,
    ...(seal && { seal }),
    ...(index && { index }),
  };
}
