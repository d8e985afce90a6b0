import fs from "node:fs";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { App } from "../open.ts";
export async function placeWorkspace(_app: App, _run: Run, dir: string): Promise<void> {
  fs.mkdirSync(dir, { recursive: true });
}

export async function resolveRef(_app: App, _task: Task): Promise<string> {
  return "";
}
