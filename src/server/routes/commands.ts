// Speaking to runs: what `converge stop`, `pause`, `steer` and so on say.
import * as z from "zod";
import { readLimits } from "#config/read-limits";
import { nameIn } from "#runs/check-approval";
import { deliverRun } from "#runs/deliver-run";
import { resumeDetached } from "#runs/detach-run";
import { restoreRun } from "#runs/snapshots";
import { tell } from "#runs/tell";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import { isWaitingForPerson, refuseAway, refuseConverged } from "#state/can-resume";
import { driverOf } from "#views/run-view";
import { runOf } from "../http/find-run.ts";
import { json } from "../http/reply.ts";
import { type Desk, type Route, route } from "../http/route.ts";
import { ofRun } from "./shapes.ts";

const words = z.string().trim().min(1).max(100_000);
const name = z.string().min(1).max(200);

/** A word to a run, in the shape that the body has; what comes back says whether somebody reads it now. */
function word<B extends z.ZodType>(
  path: string,
  summary: string,
  body: B,
  commandOf: (body: z.output<B>) => Command,
): Route {
  return route({
    method: "POST",
    path: `/runs/{id}/${path}`,
    summary,
    params: ofRun,
    body,
    answers: { 200: "`heard`: a process is at work on the run and reads it; otherwise it is read on resume" },
    handle: async ({ desk, params: { id }, body: said }) => {
      await runOf(desk, id);
      const { heard } = await tell(desk.app, id, commandOf(said as z.output<B>));
      return json({ heard });
    },
  });
}

const answer = z.strictObject({
  gate: name,
  by: name.transform((text, context) => {
    const by = nameIn(text);
    if (by !== undefined) return by;
    context.addIssue({ code: "custom", message: "expected a name on one line" });
    return z.NEVER;
  }),
  message: words.optional(),
});

const answering = (type: "approve" | "reject") =>
  word(
    type,
    `Says as a person that a gate that waits is to be ${type === "approve" ? "passed" : "failed"}`,
    answer,
    ({ gate, by, message }) => ({
      type,
      gate,
      by,
      ...(message !== undefined && { message }),
    }),
  );

const limits = z.strictObject({
  iterations: z.number().optional(),
  time: z.string().max(100).optional(),
  cost: z.number().optional(),
});

async function resume(desk: Desk, id: string, given: z.output<typeof limits>): Promise<void> {
  const { app, cli } = desk;
  const { run } = await runOf(desk, id);
  refuseConverged(run);
  refuseAway(run);
  if (await driverOf(app, run)) throw new UsageError(`run ${id} is at work already`);
  if (await isWaitingForPerson(app, run))
    throw new UsageError(`run ${id} waits for an answer first: ${run.waitingFor?.reason}`);
  // Here, because what the other process says of them nobody reads.
  readLimits(given, "resume");
  if (run.submission && app.queue && Object.keys(given).length === 0)
    await app.queue.put(id, run.submission, { reopen: run.seq });
  else await resumeDetached(app, run, { cli, wait: true, limits: given });
}

export const commands = [
  word(
    "stop",
    "Ends a run; everything done so far is kept",
    z.strictObject({ reason: words.optional() }),
    ({ reason = "stopped by a person" }) => ({ type: "stop", reason }),
  ),
  word("pause", "Lets a run stop after its present step, to be resumed", z.strictObject({}), () => ({
    type: "pause",
  })),
  word("steer", "Says something to the next iteration", z.strictObject({ text: words }), ({ text }) => ({
    type: "steer",
    text,
  })),
  word(
    "decide",
    "Decides about the present iteration",
    z.strictObject({
      choice: z.enum(["continue", "accept", "stop", "rollback"]),
      feedback: words.optional(),
      iteration: z.int().min(0).optional().describe("with rollback: where to; the best one unless told"),
    }),
    ({ choice, feedback, iteration }) => ({
      type: "decide",
      choice,
      ...(feedback !== undefined && { feedback }),
      ...(iteration !== undefined && { iteration }),
    }),
  ),
  answering("approve"),
  answering("reject"),
  route({
    method: "POST",
    path: "/runs/{id}/resume",
    summary: "Goes on with a run in a process of its own, with new limits if they are given",
    params: ofRun,
    body: z.strictObject({ limits: limits.optional() }),
    answers: { 202: "it goes on" },
    handle: async ({ desk, params: { id }, body }) => {
      await resume(desk, id, body.limits ?? {});
      return json({ id }, 202);
    },
  }),
  route({
    method: "POST",
    path: "/runs/{id}/restore",
    summary: "Puts a snapshot back into the workspace; what is there is saved first",
    params: ofRun,
    body: z.strictObject({ snapshot: z.string().min(1).max(64) }),
    answers: { 200: "iteration and tree that it is at now, and the tree that was saved" },
    handle: async ({ desk, params: { id }, body }) => {
      await runOf(desk, id);
      const { iteration, tree, saved } = await restoreRun(desk.app, id, body.snapshot);
      return json({ iteration, tree, saved });
    },
  }),
  route({
    method: "POST",
    path: "/runs/{id}/deliver",
    summary: "Hands over the work of a run that has ended",
    params: ofRun,
    body: z.strictObject({ as: z.enum(["branch", "commit", "patch", "pull-request"]).optional() }),
    answers: { 200: "what was delivered, or why it could not be as asked" },
    handle: async ({ desk, params: { id }, body }) => {
      await runOf(desk, id);
      const as = body.as === undefined ? {} : { type: body.as };
      const { delivered } = await deliverRun(desk.app, id, as, { signal: desk.signal });
      return json({ delivered });
    },
  }),
];
