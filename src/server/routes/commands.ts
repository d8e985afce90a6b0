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
import { type Route, route, type ServerContext } from "../http/route.ts";
import { runParams } from "./shapes.ts";

const message = z.string().trim().min(1).max(100_000);
const name = z.string().min(1).max(200);

interface CommandSpec<B extends z.ZodType> {
  /** The last part of the path. */
  readonly name: string;
  readonly summary: string;
  readonly body: B;
  readonly toCommand: (body: z.output<B>) => Command;
}

/** A route that puts a command into the inbox of a run; the response says whether a driver reads it now. */
function commandRoute<B extends z.ZodType>({ name, summary, body, toCommand }: CommandSpec<B>): Route {
  return route({
    method: "POST",
    path: `/runs/{id}/${name}`,
    summary,
    params: runParams,
    body,
    answers: {
      200: "`heard`: true when a process drives the run and reads it now; otherwise it is read on resume",
    },
    handle: async ({ desk, params: { id }, body: given }) => {
      await findRun(desk, id);
      const { heard } = await tell(desk.app, { id, command: toCommand(given as z.output<B>) });
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
  commandRoute({
    name: type,
    summary: `Answers a waiting gate as a person: ${type === "approve" ? "passed" : "failed"}`,
    body: answer,
    toCommand: ({ gate, by, message: text }) => ({
      type,
      gate,
      by,
      ...(text !== undefined && { message: text }),
    }),
  });

const limits = z.strictObject({
  iterations: z.number().optional(),
  time: z.string().max(100).optional(),
  cost: z.number().optional(),
});

async function resume(desk: ServerContext, id: string, given: z.output<typeof limits>): Promise<void> {
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
  commandRoute({
    name: "stop",
    summary: "Ends a run and keeps everything done so far",
    body: z.strictObject({ reason: message.optional() }),
    toCommand: ({ reason = "stopped by a person" }) => ({ type: "stop", reason }),
  }),
  commandRoute({
    name: "pause",
    summary: "Pauses a run after its current step",
    body: z.strictObject({}),
    toCommand: () => ({ type: "pause" }),
  }),
  commandRoute({
    name: "steer",
    summary: "Adds a message to the next iteration",
    body: z.strictObject({ text: message }),
    toCommand: ({ text }) => ({ type: "steer", text }),
  }),
  commandRoute({
    name: "decide",
    summary: "Decides about the current iteration",
    body: z.strictObject({
      choice: z.enum(["continue", "accept", "stop", "rollback"]),
      feedback: message.optional(),
      iteration: z
        .int()
        .min(0)
        .optional()
        .describe("with rollback: the target iteration; the best one by default"),
    }),
    toCommand: ({ choice, feedback, iteration }) => ({
      type: "decide",
      choice,
      ...(feedback !== undefined && { feedback }),
      ...(iteration !== undefined && { iteration }),
    }),
  }),
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
      const { iteration, tree, saved } = await restoreRun(desk.app, { id, snapshot: body.snapshot });
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
      const { delivered } = await deliverRun(desk.app, id, { as, signal: desk.signal });
      return json({ delivered });
    },
  }),
];
