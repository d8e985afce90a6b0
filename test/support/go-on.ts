// Goes on with a run from the events that were recorded of it, as if it had been cut off after the last of them.
import type { RunEvent } from "#spec/event";
import { converge, inMemory, type TaskInput } from "../../src/index.ts";
import type { Sandbox } from "./sandbox.ts";

/** All events of the run in the end; without any recorded, of a new run of the task. */
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
