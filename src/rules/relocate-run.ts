// Relocates an imported run: its stored events stay unchanged and are read with the new workspace path.
import type { RunEvent } from "#spec/event";

type Rebase = (text: string) => string;

function mapStrings(value: unknown, rebase: Rebase): unknown {
  if (typeof value === "string") return rebase(value);
  if (Array.isArray(value)) return value.map((part) => mapStrings(part, rebase));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapStrings(part, rebase)]));
}

/** Rewrites paths in the old folder to the new one. The run works in that folder itself, even if it had a worktree. */
export function relocateEvent(event: RunEvent, dir: string): RunEvent {
  if (event.type !== "run.started") return event;
  const { task, pins = {} } = event;
  const { type: _type, dir: _dir, ...kept } = task.workspace;
  const oldFolders = [event.dir, task.workspace.dir];
  const rebase: Rebase = (text) => {
    const from = oldFolders.find((folder) => text === folder || text.startsWith(`${folder}/`));
    return from === undefined ? text : `${dir}${text.slice(from.length)}`;
  };
  return {
    ...event,
    dir,
    task: {
      ...(mapStrings(task, rebase) as typeof task),
      prompt: task.prompt,
      workspace: { ...kept, type: "in-place", dir },
    },
    pins: Object.fromEntries(Object.entries(pins).map(([file, hash]) => [rebase(file), hash])),
  };
}
