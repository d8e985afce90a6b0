// Runs in this process only: for tests, and for callers of the SDK who want no files.

import type { Queued } from "#spec/command";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { RunRow, Store } from "#spec/store";

export function inMemory(): Store {
  const events = new Map<string, RunEvent[]>();
  const rows: RunRow[] = [];
  const commands: (Queued & { readonly run: string })[] = [];

  return {
    append: async (run, expectedSeq, added) => {
      const list = events.get(run) ?? [];
      const actual = list.at(-1)?.seq ?? 0;
      if (actual !== expectedSeq) throw new ConflictError(run, expectedSeq, actual);
      events.set(run, [...list, ...structuredClone(added)]);
      for (const event of added)
        if (event.type === "run.started")
          rows.unshift({ id: run, workspace: event.task.workspace.dir, startedAt: event.time });
    },
    read: async (run, afterSeq = 0) =>
      structuredClone((events.get(run) ?? []).filter((event) => event.seq > afterSeq)),
    runs: async () => structuredClone(rows),
    send: async (run, command) => {
      const id = commands.length + 1;
      commands.push({ id, run, command: structuredClone(command) });
      return { id, command };
    },
    inbox: async (run, afterId) =>
      commands
        .filter((entry) => entry.run === run && entry.id > afterId)
        .map(({ id, command }) => ({ id, command: structuredClone(command) })),
    close: async () => {},
  };
}
