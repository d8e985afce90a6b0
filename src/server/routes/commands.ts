// Routes that send commands to runs: stop, pause, steer, decide, approve, reject, resume, restore, deliver.
import * as z from "zod";
import { readLimits } from "#config/limits";
import { nameIn } from "#runs/check-approval";
import { deliverRun } from "#runs/deliver-run";
import { resumeDetached } from "#runs/detach-run";
import { restoreRun } from "#runs/snapshots";
import { tell } from "#runs/tell";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import { isWaitingForPerson, refuseAway, refuseConverged } from "#state/can-resume";
import { driverOf } from "#views/run-view";
import { findRun } from "../http/find-run.ts";
import { json } from "../http/reply.ts";
import { type Desk, type Route, route } from "../http/route.ts";
import { runParams } from "./shapes.ts";

const message = z.string().trim().min(1).max(100_000);
const name = z.string().min(1).max(200);

/** A route that puts a command into the inbox of a run; the response says whether a driver reads it now. */
function commandRoute<B extends z.ZodType>(
  path: string,
  summary: string,
  body: B,
  commandOf: (body: z.output<B>) => Command,
): Route {
  return route({
    method: "POST",
    path: `/runs/{id}/${path}`,
    summary,
    params: runParams,
    body,
    answers: {
      200: "`heard`: true when a process drives the run and reads it now; otherwise it is read on resume",
    },
    handle: async ({ desk, params: { id }, body: given }) => {
      await findRun(desk, id);
      const { heard } = await tell(desk.app, id, commandOf(given as z.output<B>));
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
  message: message.optional(),
});

const answerRoute = (type: "approve" | "reject") =>
  commandRoute(
    type,
    `Answers a waiting gate as a person: ${type === "approve" ? "passed" : "failed"}`,
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
  const { run } = await findRun(desk, id);
  refuseConverged(run);
  refuseAway(run);
  if (await driverOf(app, run)) throw new UsageError(`run ${id} is already running`);
  if (await isWaitingForPerson(app, run))
    throw new UsageError(`run ${id} waits for an answer first: ${run.waitingFor?.reason}`);
  // Validate here, because nobody reads the errors of the detached process.
  readLimits(given, "resume");
  if (run.submission && app.queue && Object.keys(given).length === 0)
    await app.queue.put(id, run.submission, { reopen: run.seq });
  else await resumeDetached(app, run, { cli, wait: true, limits: given });
}

export const commands = [
  commandRoute(
    "stop",
    "Ends a run and keeps everything done so far",
    z.strictObject({ reason: message.optional() }),
    ({ reason = "stopped by a person" }) => ({ type: "stop", reason }),
  ),
  commandRoute("pause", "Pauses a run after its current step", z.strictObject({}), () => ({
    type: "pause",
  })),
  commandRoute(
    "steer",
    "Adds a message to the next iteration",
    z.strictObject({ text: message }),
    ({ text }) => ({
      type: "steer",
      text,
    }),
  ),
  commandRoute(
    "decide",
    "Decides about the current iteration",
    z.strictObject({
      choice: z.enum(["continue", "accept", "stop", "rollback"]),
      feedback: message.optional(),
      iteration: z
        .int()
        .min(0)
        .optional()
        .describe("with rollback: the target iteration; the best one by default"),
    }),
    ({ choice, feedback, iteration }) => ({
      type: "decide",
      choice,
      ...(feedback !== undefined && { feedback }),
      ...(iteration !== undefined && { iteration }),
    }),
  ),
  answerRoute("approve"),
  answerRoute("reject"),
  route({
    method: "POST",
    path: "/runs/{id}/resume",
    summary: "Resumes a run in its own process, optionally with new limits",
    params: runParams,
    body: z.strictObject({ limits: limits.optional() }),
    answers: { 202: "the run is resumed" },
    handle: async ({ desk, params: { id }, body }) => {
      await resume(desk, id, body.limits ?? {});
      return json({ id }, 202);
    },
  }),
  route({
    method: "POST",
    path: "/runs/{id}/restore",
    summary: "Restores a snapshot into the workspace, after saving the current files",
    params: runParams,
    body: z.strictObject({ snapshot: z.string().min(1).max(64) }),
    answers: { 200: "the restored iteration and tree, and the tree with the saved files" },
    handle: async ({ desk, params: { id }, body }) => {
      await findRun(desk, id);
      const { iteration, tree, saved } = await restoreRun(desk.app, id, body.snapshot);
      return json({ iteration, tree, saved });
    },
  }),
  route({
    method: "POST",
    path: "/runs/{id}/deliver",
    summary: "Delivers the work of an ended run",
    params: runParams,
    body: z.strictObject({ as: z.enum(["branch", "commit", "patch", "pull-request"]).optional() }),
    answers: { 200: "what was delivered, or why it could not be" },
    handle: async ({ desk, params: { id }, body }) => {
      await findRun(desk, id);
      const as = body.as === undefined ? {} : { type: body.as };
      const { delivered } = await deliverRun(desk.app, id, as, { signal: desk.signal });
      return json({ delivered });
    },
  }),
];
