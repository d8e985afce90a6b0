// A task that comes over the wire, as the text of a task file or as its value, for a folder of this machine.
import fs from "node:fs";
import path from "node:path";
import { ConfigError, UsageError } from "#spec/errors";
import type { TaskSource } from "./layers.ts";
import { type Place, placesIn } from "./problems.ts";
import type { TaskInput } from "./schema.ts";
import { UNATTENDED } from "./unattended.ts";

/** How messages call the text. */
const ORIGIN = "task";

export function postedTask(task: string | object, dir: string): TaskSource {
  if (!path.isAbsolute(dir) || !fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`dir: expected the absolute path of a folder, got "${dir}"`);
  const where = { cwd: dir, origin: ORIGIN, defaults: UNATTENDED };
  return typeof task === "string" ? { ...where, text: task } : { ...where, flags: task as TaskInput };
}

/** What is wrong with the task, each at its line when it was a text; rethrows what is not about the task. */
export function problemsWith(error: unknown): readonly Place[] {
  if (error instanceof ConfigError) return placesIn(error, ORIGIN);
  if (error instanceof UsageError) return [{ message: error.message }];
  throw error;
}
