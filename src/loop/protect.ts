// Checks protected files on disk and in the user's index after the agent, records changes, and restores the files.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import type { IndexCheck, Staged, Tampering } from "#spec/workspace";
import { reclaimOutputs } from "./outputs.ts";

const UNTOUCHED: Tampering = { changes: [], diff: "" };

/** What to restore in the index; undefined when the action is not `restore` or no index was saved. */
function indexCheck(run: Run, { changes }: Tampering): IndexCheck | undefined {
  const { seal, index, head, task } = run;
  if (!seal || !index || task.protect?.action !== "restore") return undefined;
  return { seal, index, paths: task.protect.paths, changes, ...(head && { head }) };
}

/** The event's fields: changes on disk, and files that are only staged. */
function toldOf(found: Tampering, { changes, commit, problem }: Staged) {
  const onDisk = new Set(found.changes.map(({ path }) => path.split("#")[0]));
  return {
    diff: found.diff,
    changes: [...found.changes, ...changes.filter(({ path }) => !onDisk.has(path))],
    ...(changes.length > 0 && { staged: changes.map(({ path }) => path) }),
    ...(commit && { commit }),
    ...(problem && { indexProblem: problem }),
  };
}

/** Records the change with a snapshot before it restores any file, so that none of the agent's work is lost. */
async function* guard(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { seal, task } = run;
  if (!task.protect || !seal) return;
  const { paths, action } = task.protect;
  const tampering = await ports.workspace.tampering(seal, paths);
  const found = tampering ?? UNTOUCHED;
  const check = indexCheck(run, found);
  const staged = check ? await ports.workspace.unstage(check) : { changes: [] };
  if (!tampering && staged.changes.length === 0) return;
  // Already recorded, when the restore was interrupted.
  const told = iteration.tampering !== undefined && iteration.snapshot === undefined;
  if (!told) {
    const { tree } = await ports.workspace.snapshot();
    const { number } = iteration;
    yield { type: "protected.changed", iteration: number, ...toldOf(found, staged), action, tree };
  }
  if (action === "restore") await ports.workspace.mend(seal, paths);
}

/** Takes the snapshot of an iteration; at the baseline it also seals protected files. */
export async function* capture(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { number } = iteration;
  if (number > 0) {
    yield* reclaimOutputs(number, ports);
    yield* guard(run, iteration, ports);
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
