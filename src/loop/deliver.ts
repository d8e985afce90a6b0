// Delivers the result of a run: restores the judged files and hands them over as the task asks.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import type { Delivered } from "#spec/workspace";
import { head } from "#text/plain-text";
import type { Ending } from "./stamp.ts";
import type { StepContext } from "./step.ts";

const TITLE_CHARS = 70;

/** Restores the judged tree after clean rooms, which judge a copy: unjudged changes are saved, then reverted. */
export async function* restoreJudgedTree({ run, ports }: StepContext): AsyncGenerator<EventBody> {
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

/** The part of a step's context that a delivery needs. */
export interface DeliveryContext extends Pick<StepContext, "run" | "signal"> {
  readonly ports: Pick<Ports, "workspace" | "filesFor">;
}

type DeliveredBody = Extract<EventBody, { type: "run.delivered" }>;

/** Undefined when aborted before it is done: nothing is recorded, and a retry finds what was already delivered. */
export async function deliver(context: DeliveryContext, reason: string): Promise<DeliveredBody | undefined> {
  const delivered = await tryToDeliver(context, reason);
  if (context.signal.aborted && delivered.problem !== undefined) return undefined;
  return { type: "run.delivered", delivered };
}

/** Returns a failed delivery as a `problem` and does not throw: it does not change the outcome of the gates. */
async function tryToDeliver({ run, ports, signal }: DeliveryContext, reason: string): Promise<Delivered> {
  const { task, baseline } = run;
  const how = task.deliver;
  const tree = lastJudged(run)?.snapshot?.tree;
  if (!how || !tree) throw new Error(`run ${run.id} has nothing to deliver`);
  try {
    return await ports.workspace.deliver(
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
        files: ports.filesFor(run.iterations.length, "delivery"),
      },
      signal,
    );
  } catch (error) {
    return { type: how.type, tree, problem: (error as Error).message };
  }
}

/** The final tree of a converged run, even when another was restored since; otherwise the current tree. */
function treeOf({ ended, tree }: Run): string | undefined {
  return ended?.outcome === "converged" && !ended.partial ? (ended.tree ?? tree) : tree;
}

/** The iteration with that tree, or else the last one with a snapshot: an interrupted iteration has none. */
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
