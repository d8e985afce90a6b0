// The end of a run that reached its goal: the files are what was judged, and are handed over as the task asks.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import type { Delivered } from "#spec/workspace";
import { head } from "#text/plain-text";
import type { Ending } from "./stamp.ts";

const TITLE_CHARS = 70;

/** Clean rooms judged a copy. What became of the workspace meanwhile was judged by nobody: it is kept, and put back. */
export async function* settle(run: Run, ports: Ports): AsyncGenerator<EventBody> {
  const last = run.iterations.at(-1);
  const judged = last?.snapshot?.tree;
  if (!last || !judged || !run.task.gates.some((gate) => gate.policy.cleanRoom)) return;
  const { tree } = await ports.workspace.snapshot();
  if (tree === judged) return;
  await ports.workspace.restore(judged);
  yield { type: "workspace.restored", iteration: last.number, tree: judged, saved: tree };
}

export function isToBeDelivered(run: Run, { outcome, partial }: Ending): boolean {
  const { deliver: how } = run.task;
  if (!how || run.delivered || !lastJudged(run)) return false;
  if (outcome === "converged" && !partial) return true;
  return how.whenRed && (outcome === "converged" || outcome === "diverged");
}

/** What a delivery needs of the outside. */
type Hands = Pick<Ports, "workspace" | "filesFor">;

type DeliveredBody = Extract<EventBody, { type: "run.delivered" }>;

/** Undefined when it was cut off before it was done: that is no fact about the work, and doing it again finds what was done. */
export async function deliver(
  run: Run,
  reason: string,
  hands: Hands,
  signal: AbortSignal,
): Promise<DeliveredBody | undefined> {
  const done = await delivered(run, reason, hands, signal);
  if (signal.aborted && done.problem !== undefined) return undefined;
  return { type: "run.delivered", delivered: done };
}

/** Gates passed or did not, whatever becomes of the delivery: what breaks here is told, not thrown. */
async function delivered(run: Run, reason: string, hands: Hands, signal: AbortSignal): Promise<Delivered> {
  const { task, baseline } = run;
  const how = task.deliver;
  const tree = lastJudged(run)?.snapshot?.tree;
  if (!how || !tree) throw new Error(`run ${run.id} has nothing to deliver`);
  try {
    return await hands.workspace.deliver(
      {
        run: run.id,
        how,
        base: baseline.snapshot?.tree ?? tree,
        tree,
        repository: task.workspace.dir,
        ...(task.workspace.git && { isClone: true as const }),
        ...(run.head && { head: run.head }),
        message: titleOf(task.prompt),
        body: bodyOf(run, reason),
        files: hands.filesFor(run.iterations.length, "delivery"),
      },
      signal,
    );
  } catch (error) {
    return { type: how.type, tree, problem: (error as Error).message };
  }
}

/** What a run that converged left, whatever was put back since; otherwise the files that are there. */
function treeOf({ ended, tree }: Run): string | undefined {
  return ended?.outcome === "converged" && !ended.partial ? (ended.tree ?? tree) : tree;
}

/** Whose files those are; an iteration that was cut off has no snapshot, and then it is the last one that has. */
function lastJudged(run: Run): Iteration | undefined {
  const judged = run.iterations.filter((iteration) => iteration.snapshot);
  return judged.findLast(({ snapshot }) => snapshot?.tree === treeOf(run)) ?? judged.at(-1);
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n")[0] ?? "";
  return line.length > TITLE_CHARS ? `${head(line, TITLE_CHARS).split(" […")[0]}…` : line;
}

function bodyOf(run: Run, reason: string): string {
  const verdicts = lastJudged(run)?.verdicts ?? [];
  const gates = verdicts.map(({ gate, verdict }) => `- ${gate}: ${verdict.status} (${verdict.summary})`);
  const count = run.iterations.length;
  return [
    `${reason}, after ${count} iteration${count === 1 ? "" : "s"} (converge run ${run.id})`,
    "",
    ...gates,
  ].join("\n");
}
