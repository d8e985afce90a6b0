// Delivers the work of an ended run: later than the task asked for, again after a problem, or in another way.
import path from "node:path";
import { explainNoEffect } from "#config/delivery";
import { deliver } from "#loop/deliver";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Deliver } from "#spec/task";
import type { Delivered } from "#spec/workspace";
import { acquireWorkspace } from "#state/acquire-run";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { privateDir } from "#system/files";
import { refuseDelivery } from "#workspaces/deliver/refuse";
import { openWorkspace } from "./open-workspace.ts";
import { placeHere, runIn } from "./placement/acquire.ts";
import { fetchSnapshots } from "./placement/fetch-snapshots.ts";
import { isPlaceable } from "./placement/place-workspace.ts";
import { recordFact } from "./recording/record.ts";

const TYPES = ["branch", "commit", "patch", "pull-request"] as const;

/** Overrides of the task's delivery; an absent option keeps the task's value. */
export interface DeliverAs {
  readonly type?: string;
  readonly branch?: string;
  readonly message?: string;
  readonly remote?: string;
  readonly base?: string;
  readonly file?: string;
  readonly whenRed?: boolean;
}

function howOf(run: Run, { type: given, ...options }: DeliverAs): Deliver {
  const { deliver: asked } = run.task;
  const name = given ?? asked?.type;
  const type = TYPES.find((one) => one === name);
  if (!type)
    throw new UsageError(
      name === undefined
        ? `the task of run ${run.id} does not say how to deliver; add --as ${TYPES.join("|")}`
        : `--as: expected ${TYPES.join(", ")}, got "${name}"`,
    );
  for (const option of Object.keys(options)) {
    const why = explainNoEffect(type, option);
    if (why) throw new UsageError(`--${option} ${why}`);
  }
  const { file, ...rest } = options;
  const before = asked?.type === type ? asked : { remote: "origin", whenRed: asked?.whenRed ?? false };
  return { ...before, type, ...rest, ...(file !== undefined && { file: path.resolve(file) }) };
}

function refuse(run: Run, how: Deliver): void {
  const { id, ended } = run;
  if (!ended)
    throw new UsageError(
      `run ${id} has not ended; end it with \`converge stop ${id}\`, or let it continue first`,
    );
  if (!run.iterations.some((iteration) => iteration.snapshot))
    throw new UsageError(`run ${id} changed nothing: there is nothing to deliver`);
  const green = ended.outcome === "converged" && !ended.partial;
  if (!green && !how.whenRed)
    throw new UsageError(
      `run ${id} ended as ${ended.outcome}${ended.partial ? " in part" : ""}: its gates are red; deliver it anyway with --when-red`,
    );
}

interface DeliverOptions {
  readonly as: DeliverAs;
  readonly signal: AbortSignal;
  readonly warn?: (text: string) => void;
}

/** Records the delivery as an event of the run, like a delivery by the run itself. */
export async function deliverRun(
  app: Context,
  id: string,
  { as, signal, warn = () => {} }: DeliverOptions,
): Promise<{ readonly run: Run; readonly delivered: Delivered }> {
  const known = await loadRun(app, id);
  // Validate first: no workspace is created for a run that cannot be delivered.
  if (isPlaceable(known.task)) refuse(known, howOf(known, as));
  const { dir } = await placeHere(app, known);
  const { release } = await acquireWorkspace(app, { id, dir });
  try {
    const run = runIn(await loadRun(app, id), dir);
    const how = howOf(run, as);
    refuse(run, how);
    await fetchSnapshots(
      app,
      run,
      [run.baseline, ...run.iterations].flatMap(({ snapshot }) => snapshot?.tree ?? []),
    );
    await refuseDelivery(how, run.task.workspace.dir);
    const workspace = await openWorkspace(app, run);
    const filesFor = (iteration: number, part: string) => privateDir(app.home.partDir(id, iteration, part));
    const asked = { ...run, task: { ...run.task, deliver: how } };
    const context = { run: asked, ports: { workspace, filesFor }, signal };
    const body = await deliver(context, run.ended?.reason ?? "").finally(() => workspace.close());
    if (!body)
      throw new UsageError(
        `the delivery of run ${id} was interrupted and is not recorded; finish it with: converge deliver ${id}`,
      );
    return { run: await recordFact(app, run, { body, warn }), delivered: body.delivered };
  } finally {
    await release();
  }
}
