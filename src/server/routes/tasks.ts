// Routes that start runs and validate tasks.
import * as z from "zod";
import { postedTask, problemsWith } from "#config/posted-task";
import type { ReadTask } from "#config/read-task";
import { launchRun } from "#runs/detach-run";
import { prepareTask } from "#runs/prepare-task";
import { mask } from "#system/mask-text";
import { json } from "../http/reply.ts";
import { route } from "../http/route.ts";

const MAX_PATH_CHARS = 4_096;

const taskBody = {
  task: z.union([z.string(), z.record(z.string(), z.unknown())]),
  dir: z.string().min(1).max(MAX_PATH_CHARS),
};

type Problems = ReturnType<typeof problemsWith>;

async function readPostedTask(task: string | object, dir: string): Promise<ReadTask | Problems> {
  try {
    return await prepareTask(postedTask(task, dir));
  } catch (error) {
    return problemsWith(error).map((one) => ({ ...one, message: mask(one.message) }));
  }
}

function refuseTask(problems: Problems): Response {
  const message = problems.map((one) => one.message).join("\n");
  return json({ error: { code: "invalid-task", message, problems } }, 400);
}

export const tasks = [
  route({
    method: "POST",
    path: "/runs",
    summary:
      "Starts a run in its own process; `task` is the text of a task file or its value, `dir` its folder",
    body: z.strictObject({
      ...taskBody,
      wait: z
        .boolean()
        .default(true)
        .describe("keep the process while a person is asked, and continue with the answer"),
    }),
    answers: { 201: "the id of the run", 400: "the problems of the task, each with its location" },
    handle: async ({ desk: { app, cli }, body: { task, dir, wait } }) => {
      const read = await readPostedTask(task, dir);
      if (!("task" in read)) return refuseTask(read);
      const warnings = [...read.warnings];
      const { id } = await launchRun(app, read, { cli, wait, warn: (text) => warnings.push(mask(text)) });
      return json({ id, warnings }, 201);
    },
  }),
  route({
    method: "POST",
    path: "/tasks/validate",
    summary: "Validates a task without starting a run",
    body: z.strictObject(taskBody),
    answers: { 200: "the task as it would run, or its problems" },
    handle: async ({ body: { task, dir } }) => {
      const read = await readPostedTask(task, dir);
      return "task" in read
        ? json({ valid: true, task: read.task, warnings: [...read.notes, ...read.warnings] })
        : json({ valid: false, problems: read });
    },
  }),
];
