// Runs the user's hook commands after an event. A hook cannot change the run.
import path from "node:path";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Home } from "#state/home";
import { privateDir } from "#system/files";
import { runUserCommand } from "./notify/notify-command.ts";

function hookFor(event: RunEvent, run: Run): { command: string; env: Record<string, string> } | undefined {
  const { end, escalate } = run.task.hooks;
  if (event.type === "run.ended" && end)
    return {
      command: end,
      env: {
        CONVERGE_OUTCOME: event.outcome,
        CONVERGE_REASON: event.reason,
        CONVERGE_ITERATIONS: String(event.iterations),
        CONVERGE_ELAPSED_MS: String(event.elapsedMs),
      },
    };
  if (event.type === "gate.escalated" && escalate)
    return {
      command: escalate,
      env: {
        CONVERGE_GATE: event.gate,
        CONVERGE_REASON: event.reason,
        CONVERGE_ITERATION: String(event.iteration),
      },
    };
  return undefined;
}

interface RunMoment {
  readonly event: RunEvent;
  /** The run after the event. */
  readonly run: Run;
  readonly home: Home;
}

export async function runUserHooks(
  { event, run, home }: RunMoment,
  warn: (text: string) => void,
): Promise<void> {
  const hook = hookFor(event, run);
  if (!hook) return;
  const log = path.join(privateDir(home.partDir(run.id, run.iterations.length, "hooks")), "output.log");
  const failure = await runUserCommand({ ...hook, cwd: run.dir, mark: run.id, log });
  if (failure !== undefined) warn(`the hook "${hook.command}" failed (${failure}); its output is in ${log}`);
}
