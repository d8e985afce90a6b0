// The dialogs of what people may tell a run.
import type { JSX } from "preact";
import { useRun } from "../run-context.ts";
import { ActionDialog, filled } from "./action-dialog.tsx";

export interface Answering {
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
}

export function StopDialog(answering: Answering) {
  return (
    <ActionDialog
      title="Stop this run?"
      does="Stop the run"
      done="The run is told to stop."
      danger
      action="stop"
      body={(form) => filled(form, "reason")}
      {...answering}
    >
      <p>
        The agent is ended, and the run ends as stopped. Its files and its record stay; it can be resumed
        later.
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
      done="The words go into the next prompt."
      action="steer"
      body={(form) => filled(form, "text")}
      {...answering}
    >
      <label>
        <span>Words for the next prompt</span>
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
  const used = iterations >= maxIterations;
  const body = (form: FormData): object => {
    const { iterations: most, time, cost } = filled(form, "iterations", "time", "cost");
    const given = { iterations: numeric(most), time, cost: numeric(cost) };
    const limits = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return Object.keys(limits).length === 0 ? {} : { limits };
  };
  return (
    <ActionDialog
      title="Resume this run"
      does="Resume the run"
      done="The run goes on."
      action="resume"
      body={body}
      {...answering}
    >
      <p>
        It goes on where it was, in a process of its own.{" "}
        {used && "Its iterations are used up: give it more."}
      </p>
      <label>
        <span>Iterations in all (now {maxIterations})</span>
        <input name="iterations" type="number" min={1} step={1} />
      </label>
      <label>
        <span>Time in all, such as 30m or 2h</span>
        <input name="time" autocomplete="off" />
      </label>
      <label>
        <span>Cost in all, in dollars</span>
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
      body={(form) => filled(form, "snapshot")}
      {...answering}
    >
      <p>
        The files of the workspace become those of the snapshot. What is there now is kept as a snapshot
        first.
      </p>
      <label>
        <span>Snapshot: best, last, base, or a number up to {iterations}</span>
        <input name="snapshot" required autocomplete="off" defaultValue={best ? "best" : "last"} />
      </label>
      {best && <p class="soft">The best iteration is {best.iteration}.</p>}
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
      body={(form) => filled(form, "as")}
      {...answering}
    >
      <p>The files that were judged are handed over. Nothing is forced.</p>
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
