// In-memory store: for tests, and for SDK callers who want no files.
import { projectOf } from "#rules/project";
import type { Queued } from "#spec/command";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Lesson } from "#spec/lesson";
import type { RunRow, Store } from "#spec/store";

export function inMemory(): Store {
  const events = new Map<string, RunEvent[]>();
  const rows: Omit<RunRow, "seq">[] = [];
  const lessons = new Map<string, Lesson>();
  const commands: (Queued & { readonly run: string })[] = [];

  return {
    append: async (run, expectedSeq, added) => {
      const list = events.get(run) ?? [];
      const actual = list.at(-1)?.seq ?? 0;
      if (actual !== expectedSeq) throw new ConflictError(run, expectedSeq, actual);
      events.set(run, [...list, ...structuredClone(added)]);
      for (const event of added)
        if (event.type === "run.started")
          rows.unshift({ id: run, workspace: projectOf(event.task.workspace), startedAt: event.time });
    },
    read: async (run, afterSeq = 0) =>
      structuredClone((events.get(run) ?? []).filter((event) => event.seq > afterSeq)),
    runs: async () => rows.map((row) => ({ ...row, seq: events.get(row.id)?.at(-1)?.seq ?? 0 })),
    send: async (run, command) => {
      const id = commands.length + 1;
      commands.push({ id, run, command: structuredClone(command) });
      return { id, command };
    },
    inbox: async (run, afterId) =>
      commands
        .filter((entry) => entry.run === run && entry.id > afterId)
        .map(({ id, command }) => ({ id, command: structuredClone(command) })),
    learn: async (lesson) => {
      lessons.set(lesson.run, structuredClone(lesson));
    },
    lessons: async () =>
      structuredClone([...lessons.values()]).sort((a, b) => (a.at + a.run < b.at + b.run ? -1 : 1)),
    forget: async (workspace) => {
      const removed = [...lessons.values()].filter(
        (one) => workspace === undefined || one.workspace === workspace,
      );
      for (const { run } of removed) lessons.delete(run);
      return removed.length;
    },
    close: async () => {},
  };
}
