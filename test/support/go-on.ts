// Resumes a run from recorded events, as if it had been interrupted after the last of them.
import type { RunEvent } from "#spec/event";
import { converge, inMemory, type TaskInput } from "../../src/index.ts";
import type { Sandbox } from "./sandbox.ts";

/** Returns all events of the resumed run, or of a new run of the task when nothing was recorded. */
export async function goOn(
  box: Sandbox,
  recorded: readonly RunEvent[],
  task: TaskInput,
): Promise<RunEvent[]> {
  const store = inMemory();
  const [first] = recorded;
  if (first) await store.append(first.run, 0, recorded);
  const place = { cwd: box.dir, home: box.home, store };
  const run = first ? converge({}, { ...place, resume: first.run }) : converge(task, place);
  await run;
  return [...(await store.read(await run.id))];
}
