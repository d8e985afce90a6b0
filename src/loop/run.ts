// The loop: agent → snapshot → gates → decision, as a generator of events.
// It keeps no state but the fold of what it has yielded, so any prefix of the events says what comes next,
// and a run that was killed goes on at its first unfinished step.
import type { RunEvent } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import { fold } from "./fold.ts";
import { next } from "./next.ts";
import { isOver } from "./policy.ts";
import { recover } from "./recover.ts";
import { stamp } from "./stamp.ts";
import { read, type Step } from "./steps.ts";

/** Once aborted, only what people asked for is still done; a parked run goes on when there is a reason to. */
async function hasMore(run: Run, ports: Ports, signal: AbortSignal): Promise<boolean> {
  if (run.state === "ended" || run.state === "paused" || run.state === "away") return false;
  if (run.stopping !== undefined || (run.state === "running" && !signal.aborted)) return true;
  if (run.state === "waiting") await ports.wait?.(run, signal);
  if (isOver(run.waitingFor?.until, ports.now()) && !signal.aborted) return true;
  return (await ports.inbox(run.inbox)).length > 0;
}

/**
 * Yields the events of the run from where it stands until it is ended, paused or parked. The caller makes each
 * event durable before it pulls the next. Aborting the signal cuts off the step under way: unless somebody
 * asked for a stop meanwhile, the run is left as it is, to be resumed.
 */
export async function* loop(start: Run, ports: Ports, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
  let run = start;
  let first: Step | undefined = start.seq > 1 ? recover : undefined;
  do {
    const commands = await ports.inbox(run.inbox);
    const step: Step = first ?? (commands.length > 0 ? read(commands) : next(run, ports.now()));
    first = undefined;
    for await (const body of step(run, ports, signal)) {
      const event = stamp(run, ports.redact(body), { time: ports.now(), elapsedMs: ports.elapsed() });
      run = fold(run, event);
      yield event;
    }
  } while (await hasMore(run, ports, signal));
}
