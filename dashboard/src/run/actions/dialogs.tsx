// Dialogs of the commands to a run.
import type { JSX } from "preact";
import { iterationLabel } from "#text/words";
import { useRun } from "../run-context.ts";
import { ActionDialog, readFields } from "./action-dialog.tsx";

export interface Answering {
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
}

export function StopDialog(answering: Answering) {
  return (
    <ActionDialog
      title="Stop this run?"
      does="Stop the run"
      done="The run is stopping."
      danger
      action="stop"
      body={(form) => readFields(form, "reason")}
      {...answering}
    >
      <p>
        This stops the agent and ends the run as stopped. Files and record are kept, and you can resume the
        run later.
      </p>
      <label>
        <span>Reason (optional)</span>
        <input name="reason" autocomplete="off" />
      </label>
    </ActionDialog>
  );
}

export function SteerDialog(answering: Answering) {
  return (
    <ActionDialog
      title="Steer this run"
      does="Send"
      done="Your message goes into the next prompt."
      action="steer"
      body={(form) => readFields(form, "text")}
      {...answering}
    >
      <label>
        <span>Message for the next prompt</span>
        <textarea name="text" rows={5} required />
      </label>
    </ActionDialog>
  );
}

function numeric(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

export function ResumeDialog(answering: Answering) {
  const { iterations, maxIterations } = useRun().overview;
  const isUsedUp = iterations >= maxIterations;
  const body = (form: FormData): object => {
    const { iterations: most, time, cost } = readFields(form, "iterations", "time", "cost");
    const given = { iterations: numeric(most), time, cost: numeric(cost) };
    const limits = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return Object.keys(limits).length === 0 ? {} : { limits };
  };
  return (
    <ActionDialog
      title="Resume this run"
      does="Resume the run"
      done="The run continues."
      action="resume"
      body={body}
      {...answering}
    >
      <p>
        The run continues where it ended, in its own process.{" "}
        {isUsedUp && "It has used all its iterations: raise the limit."}
      </p>
      <label>
        <span>Maximum iterations (now {maxIterations})</span>
        <input name="iterations" type="number" min={1} step={1} />
      </label>
      <label>
        <span>Maximum time, such as 30m or 2h</span>
        <input name="time" autocomplete="off" />
      </label>
      <label>
        <span>Maximum cost in dollars</span>
        <input name="cost" type="number" min={0} step="any" />
      </label>
    </ActionDialog>
  );
}

export function RestoreDialog(answering: Answering) {
  const { best, iterations } = useRun().overview;
  return (
    <ActionDialog
      title="Restore files?"
      does="Restore the files"
      done="The files are restored."
      danger
      action="restore"
      body={(form) => readFields(form, "snapshot")}
      {...answering}
    >
      <p>
        This replaces the files in the workspace with those of a snapshot. The current files are saved as a
        snapshot first.
      </p>
      <label>
        <span>Snapshot: best, last, base, or a number up to {iterations}</span>
        <input name="snapshot" required autocomplete="off" defaultValue={best ? "best" : "last"} />
      </label>
      {best && <p class="soft">The best iteration is {iterationLabel(best.iteration)}.</p>}
    </ActionDialog>
  );
}

const WAYS = ["branch", "commit", "patch", "pull-request"] as const;

export function DeliverDialog(answering: Answering) {
  const { deliver } = useRun().overview.task;
  return (
    <ActionDialog
      title="Deliver this run"
      does="Deliver"
      done="Delivered."
      action="deliver"
      body={(form) => readFields(form, "as")}
      {...answering}
    >
      <p>This delivers the files that were judged. It never overwrites a branch.</p>
      <label>
        <span>As</span>
        <select name="as" defaultValue={deliver?.type ?? "branch"}>
          {WAYS.map(
            (way): JSX.Element => (
              <option key={way} value={way}>
                {way}
              </option>
            ),
          )}
        </select>
      </label>
    </ActionDialog>
  );
}
