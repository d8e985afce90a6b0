// Starting runs, and looking at a task before it is started.
import * as z from "zod";
import { postedTask, problemsWith } from "#config/posted-task";
import type { ReadTask } from "#config/read-task";
import { launchRun } from "#runs/detach-run";
import { prepareTask } from "#runs/prepare-task";
import { mask } from "#system/mask-text";
import { json, problem } from "../http/reply.ts";
import { route } from "../http/route.ts";

const LONGEST_PATH = 4_096;

const posted = {
  task: z.union([z.string(), z.record(z.string(), z.unknown())]),
  dir: z.string().min(1).max(LONGEST_PATH),
};

type Problems = ReturnType<typeof problemsWith>;

async function reading(task: string | object, dir: string): Promise<ReadTask | Problems> {
  try {
    return await prepareTask(postedTask(task, dir));
  } catch (error) {
    return problemsWith(error).map((one) => ({ ...one, message: mask(one.message) }));
  }
}

export const tasks = [
  route({
    method: "POST",
    path: "/runs",
    summary:
      "Starts a run in a process of its own; `task` is the text of a task file or its value, `dir` the folder it is for",
    body: z.strictObject({
      ...posted,
      wait: z
        .boolean()
        .default(true)
        .describe("stays while a person is asked, and goes on when there is an answer"),
    }),
    answers: { 201: "the id of the run", 400: "what is wrong with the task, each problem with its place" },
    handle: async ({ desk: { app, cli }, body: { task, dir, wait } }) => {
      const read = await reading(task, dir);
      if (!("task" in read))
        return problem(400, "invalid-task", read.map(({ message }) => message).join("\n"), {
          problems: read,
        });
      const warnings = [...read.warnings];
      const { id } = await launchRun(app, read, { cli, wait, warn: (text) => warnings.push(mask(text)) });
      return json({ id, warnings }, 201);
    },
  }),
  route({
    method: "POST",
    path: "/tasks/validate",
    summary: "Looks at a task without starting anything",
    body: z.strictObject(posted),
    answers: { 200: "the task as it would be run, or what is wrong with it" },
    handle: async ({ body: { task, dir } }) => {
      const read = await reading(task, dir);
      return "task" in read
        ? json({ valid: true, task: read.task, warnings: [...read.notes, ...read.warnings] })
        : json({ valid: false, problems: read });
    },
  }),
];
