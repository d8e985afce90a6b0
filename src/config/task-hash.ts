// Hashes a task independently of its key order.
import { createHash } from "node:crypto";
import type { Task } from "#spec/task";
import { isObject } from "#text/json";

export function taskHash(task: Task): string {
  return createHash("sha256").update(canonical(task)).digest("hex");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
  );
}
