// converge resume
import type { Command } from "../support/command.ts";
import { exitCodeOf, RUN_EXIT_CODES } from "../support/exit-code.ts";
import { JSON_EVENTS, limitFlags, RUN_OR_LAST, taskFrom, WAIT } from "../support/flags.ts";
import { printNote } from "../support/messages.ts";
import { openRun, openWithQueue, viewRun } from "../support/open-run.ts";

interface ResumeFlags {
  readonly allowErroredBaseline?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly here?: boolean;
}

const newLimits = limitFlags({ iterations: "unchanged", time: "unchanged", cost: "unchanged" });

async function limitsFrom(flags: ResumeFlags) {
  const { limits } = taskFrom(newLimits, flags);
  if (limits === undefined) return undefined;
  const { readLimits } = await import("#config/limits");
  return readLimits(limits as Record<string, unknown>);
}

export const command: Command = {
  name: "resume",
  description: "continue a run that was killed, paused, stopped or blocked",
  arguments: [RUN_OR_LAST],
  options: [
    ...newLimits,
    WAIT,
    {
      flags: "--allow-errored-baseline",
      description: "start the agent even if a gate cannot judge the baseline",
    },
    {
      flags: "--here",
      description: "drive the run on this machine, even if it was submitted to the workers",
    },
    JSON_EVENTS,
  ],
  exitCodes: RUN_EXIT_CODES,
  async run([typed]: [string], flags: ResumeFlags) {
    const { isWaitingForPerson, refuseAway, refuseConverged } = await import("#state/can-resume");
    const { stateWord } = await import("#views/run-view");
    const opened = await openRun(typed, await openWithQueue());
    const { app, id } = opened;
    const view = await viewRun(opened);
    const { run } = view;
    refuseAway(run);
    if (!flags.wait && (await isWaitingForPerson(app, run))) {
      const { nextSteps } = await import("../output/next-steps.ts");
      printNote(`run ${id} is ${stateWord(view)}: ${run.waitingFor?.reason}`);
      for (const { command, why } of nextSteps(run)) printNote(`  ${command}    ${why}`);
      return exitCodeOf(run);
    }
    const limits = await limitsFrom(flags);
    if (run.submission && app.queue && !limits && !flags.here && !flags.allowErroredBaseline) {
      refuseConverged(run);
      await app.queue.put(id, run.submission, { reopen: run.seq });
      await app.queue.close();
      printNote(`run ${id} is in the queue again; to drive it on this machine, use --here`);
      const { followRun } = await import("../support/follow-run.ts");
      return followRun(opened, { ...flags, afterSeq: run.seq });
    }
    const { acquireHere } = await import("#runs/placement/acquire");
    const { driveAndShow } = await import("../support/drive-and-show.ts");
    return driveAndShow(app, id, {
      json: flags.json ?? false,
      wait: flags.wait ?? false,
      hold: await acquireHere(app, id, printNote),
      ...(limits && { limits }),
      ...(flags.allowErroredBaseline && { allowErroredBaseline: true }),
    });
  },
};
