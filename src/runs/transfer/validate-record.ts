// Validates the record of an export, which is untrusted input: its events must fold into a run that can be shown.
import path from "node:path";
import { foldAll } from "#loop/fold";
import { progressOf } from "#loop/progress";
import { UsageError } from "#spec/errors";
import { EVENT_VERSION, isEventType, type RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Kept } from "#spec/store";
import { overviewOf } from "#views/overview";

/** Highest accepted command id; beyond it, ids would not be reliable. */
const HIGHEST_COMMAND = 2 ** 40;

const wrong = (seq: number, what: string) => new UsageError(`event ${seq} ${what}`);

function eventIn({ seq, body }: Kept, run: string): RunEvent {
  let event: RunEvent;
  try {
    event = JSON.parse(body);
  } catch {
    throw wrong(seq, "is not JSON");
  }
  if (typeof event !== "object" || event === null) throw wrong(seq, "is no event");
  if (event.v !== EVENT_VERSION)
    throw wrong(seq, `has version ${String(event.v).slice(0, 20)}, and this Converge knows ${EVENT_VERSION}`);
  if (event.run !== run || event.seq !== seq) throw wrong(seq, "belongs to another run or another place");
  if (!isEventType(event.type)) throw wrong(seq, "has a type that this version of Converge does not know");
  return event;
}

function refuseOddities(event: RunEvent): void {
  if (event.type === "command.received" && !(event.queued.id >= 0 && event.queued.id <= HIGHEST_COMMAND))
    throw wrong(event.seq, "has a command with an id that no store gives");
  if (event.type !== "run.started") return;
  if (event.seq !== 1) throw wrong(event.seq, "starts the run a second time");
  if (![event.dir, event.task.workspace.dir].every((dir) => typeof dir === "string" && path.isAbsolute(dir)))
    throw wrong(event.seq, "has no absolute workspace");
}

/** Parses the events and folds them into a run; refuses a run that cannot be shown. */
export function validateRecord(
  record: readonly Kept[],
  id: string,
): { readonly events: RunEvent[]; readonly run: Run } {
  const events = record.map((kept) => eventIn(kept, id));
  try {
    events.forEach(refuseOddities);
    const run = foldAll(events);
    if (!run) throw new UsageError("the record has no first event");
    // Serialize as well: a value that JSON cannot represent cannot be stored either.
    JSON.stringify(overviewOf({ run, progress: progressOf(run) }, events));
    return { events, run };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the events do not form a run: ${(error as Error).message}`);
  }
}
