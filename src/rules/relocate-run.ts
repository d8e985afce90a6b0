// A run that lies elsewhere than where it was started: its record stays as it was written, and is read with the new place in it.
import type { RunEvent } from "#spec/event";

type Rebase = (text: string) => string;

function everywhere(value: unknown, rebase: Rebase): unknown {
  if (typeof value === "string") return rebase(value);
  if (Array.isArray(value)) return value.map((part) => everywhere(part, rebase));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, everywhere(part, rebase)]));
}

/** Paths that lead into the old folder lead into the new one. It works in that folder itself, also where it had a worktree. */
export function relocateEvent(event: RunEvent, dir: string): RunEvent {
  if (event.type !== "run.started") return event;
  const { task, pins = {} } = event;
  const { type: _type, dir: _dir, ...kept } = task.workspace;
  const old = [event.dir, task.workspace.dir];
  const rebase: Rebase = (text) => {
    const from = old.find((folder) => text === folder || text.startsWith(`${folder}/`));
    return from === undefined ? text : `${dir}${text.slice(from.length)}`;
  };
  return {
    ...event,
    dir,
    task: {
      ...(everywhere(task, rebase) as typeof task),
      prompt: task.prompt,
      workspace: { ...kept, type: "in-place", dir },
    },
    pins: Object.fromEntries(Object.entries(pins).map(([file, hash]) => [rebase(file), hash])),
  };
}
