// The loop: agent → snapshot → gates → decision, as a generator of events.
// It keeps no state but the fold of what it has yielded, so any prefix of the events says what comes next,
// and a run that was killed goes on at its first unfinished step.
import type { RunEvent } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { fold } from "./fold.ts";
import { exceeded, timeIsUp, timeReason } from "./limits.ts";
import { exhausted, gateToJudge, stopper, waitingGates } from "./policy.ts";
import { recover } from "./recover.ts";
import { stamp } from "./stamp.ts";
import { cannotWork, goesOn, rollback, succeeded } from "./standing.ts";
import {
  decide,
  end,
  judge,
  park,
  pause,
  read,
  restore,
  runAgent,
  type Step,
  startIteration,
  takeSnapshot,
} from "./steps.ts";

/** What to do next. Success is looked at before limits, and every path that repeats passes the limits. */
function next(run: Run): Step {
  const { baseline, task } = run;
  const current = run.iterations.at(-1);
  if (run.stopping !== undefined) return end("stopped", run.stopping);
  if (run.pausing) return pause;
  if (!baseline.snapshot) return takeSnapshot(0);
  if (task.baseline && gateToJudge(run, baseline)) return judge(0);
  if (!current)
    return succeeded(run, baseline)
      ? end("converged", "every gate passes already: nothing to do")
      : begin(run);
  return goesOn(run, current) ? begin(run) : within(run, current);
}

function begin(run: Run): Step {
  const limit = exceeded(run);
  if (limit) return end("diverged", limit);
  const back = rollback(run);
  return back === undefined ? startIteration : restore(back);
}

function within(run: Run, current: Iteration): Step {
  if (!current.agent) return runAgent;
  if (cannotWork(current.agent)) return end("blocked", current.agent.reason ?? "the agent cannot work");
  if (!current.snapshot) return takeSnapshot(current.number);
  const stop = stopper(run, current);
  if (stop) return end("diverged", stop);
  if (gateToJudge(run, current))
    return timeIsUp(run, run.elapsedMs) ? end("diverged", timeReason(run)) : judge(current.number);
  const waiting = waitingGates(run, current);
  if (waiting.length > 0) return park(`waiting for a person: gate ${waiting.join(", ")}`, waiting);
  return current.decision ? conclude(run, current, current.decision) : decide;
}

function conclude(run: Run, current: Iteration, decision: NonNullable<Iteration["decision"]>): Step {
  if (succeeded(run, current) || decision.accept) return end("converged", decision.reason);
  if (decision.wait) return park(decision.reason, []);
  if (current.direction?.choice === "stop") return end("stopped", decision.reason);
  return end("diverged", exhausted(run) ?? decision.reason);
}

/** Once aborted, only what people asked for is still done. */
async function hasMore(run: Run, ports: Ports, signal: AbortSignal): Promise<boolean> {
  if (run.state === "ended" || run.state === "paused") return false;
  if (run.stopping !== undefined || (run.state === "running" && !signal.aborted)) return true;
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
    const step: Step = first ?? (commands.length > 0 ? read(commands) : next(run));
    first = undefined;
    for await (const body of step(run, ports, signal)) {
      const event = stamp(run, body, { time: ports.now(), elapsedMs: ports.elapsed() });
      run = fold(run, event);
      yield event;
    }
  } while (await hasMore(run, ports, signal));
}
