// The loop: agent → snapshot → gates → decision, as a generator of events.
// Its only state is the fold of the events it has yielded, so any prefix of the events determines the next step,
// and a killed run continues at its first unfinished step.
import type { RunEvent } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import { fold } from "./fold.ts";
import { next } from "./next.ts";
import { isOver } from "./policy.ts";
import { recover } from "./recover.ts";
import { stamp } from "./stamp.ts";
import type { Step } from "./step.ts";
import { read } from "./steps.ts";

/** After an abort, handles only commands and stops. A parked run continues on a command or when its wait is over. */
async function hasMore(run: Run, ports: Ports, signal: AbortSignal): Promise<boolean> {
  if (run.state === "ended" || run.state === "paused" || run.state === "away") return false;
  if (run.stopping !== undefined || (run.state === "running" && !signal.aborted)) return true;
  if (run.state === "waiting") await ports.wait?.(run, signal);
  if (isOver(run.waitingFor?.until, ports.now()) && !signal.aborted) return true;
  return (await ports.inbox(run.inbox)).length > 0;
}

/**
 * Yields the events of the run from its current state until it ends, pauses or parks. The caller makes each event
 * durable before it pulls the next. Aborting the signal interrupts the current step and leaves the run to be
 * resumed, unless a stop was requested meanwhile.
 */
export async function* loop(start: Run, ports: Ports, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
  let run = start;
  let first: Step | undefined = start.seq > 1 ? recover : undefined;
  do {
    const commands = await ports.inbox(run.inbox);
    const step: Step = first ?? (commands.length > 0 ? read(commands) : next(run, ports.now()));
    first = undefined;
    for await (const body of step({ run, ports, signal })) {
      const event = stamp(run, ports.redact(body), { time: ports.now(), elapsedMs: ports.elapsed() });
      run = fold(run, event);
      yield event;
    }
  } while (await hasMore(run, ports, signal));
}
