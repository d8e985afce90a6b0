// Table of lessons. Users may delete it: lessons can be rebuilt from the recorded runs.
import type { Lesson } from "#spec/lesson";
import type { Database } from "#system/sqlite";

export function lessonsIn(database: Database) {
  const keep = database.prepare(
    "INSERT OR REPLACE INTO lessons (run, workspace, at, body) VALUES (?, ?, ?, ?)",
  );
  const select = database.prepare("SELECT body FROM lessons ORDER BY at, run");
  const forgetAll = database.prepare("DELETE FROM lessons");
  const forgetOf = database.prepare("DELETE FROM lessons WHERE workspace = ?");
  return {
    keep: (lesson: Lesson): void => {
      keep.run(lesson.run, lesson.workspace, lesson.at, JSON.stringify(lesson));
    },
    all: (): Lesson[] => (select.all() as { body: string }[]).map(({ body }) => JSON.parse(body) as Lesson),
    forget: (workspace?: string): number =>
      Number((workspace === undefined ? forgetAll.run() : forgetOf.run(workspace)).changes),
  };
}
