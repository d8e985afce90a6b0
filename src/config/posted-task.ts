// Reads a task from an HTTP request: the text of a task file or its parsed value, for a folder on this machine.
import fs from "node:fs";
import path from "node:path";
import { ConfigError, UsageError } from "#spec/errors";
import type { TaskSource } from "./layers.ts";
import { UNATTENDED } from "./limits.ts";
import type { TaskInput } from "./task-options.ts";

/** Name of the text in messages. */
const ORIGIN = "task";

export function postedTask(task: string | object, dir: string): TaskSource {
  if (!path.isAbsolute(dir) || !fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`dir: expected the absolute path of a folder, got "${dir}"`);
  const common = { cwd: dir, origin: ORIGIN, defaults: UNATTENDED };
  return typeof task === "string" ? { ...common, text: task } : { ...common, flags: task as TaskInput };
}

/** Lists the problems of the task, with lines when it is a text. Rethrows any other error. */
export function problemsWith(error: unknown): readonly ProblemPlace[] {
  if (error instanceof ConfigError) return placesIn(error, ORIGIN);
  if (error instanceof UsageError) return [{ message: error.message }];
  throw error;
}

interface ProblemPlace {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The file, unless it is the text `origin` itself. */
  readonly path?: string;
}

/** Parses "file:line:column: message". */
const LOCATED_MESSAGE = /^(.+?)(?::(\d+):(\d+))?: (.*)$/s;

function placesIn({ problems }: ConfigError, origin: string): ProblemPlace[] {
  return problems.map((text) => {
    const [, at, line, column, message] = LOCATED_MESSAGE.exec(text) ?? [];
    if (at === undefined || message === undefined) return { message: text };
    const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
    return { message, ...place, ...(at !== origin && { path: at }) };
  });
}
