// Buttons for the commands that the run accepts in its state.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Action } from "#spec/overview";
import { useRun } from "../run-context.ts";
import { DecideDialog } from "./decide-dialog.tsx";
import {
  type Answering,
  DeliverDialog,
  RestoreDialog,
  ResumeDialog,
  SteerDialog,
  StopDialog,
} from "./dialogs.tsx";
import { useTell } from "./use-tell.ts";

interface Button {
  readonly action: Action;
  readonly name: string;
  readonly danger?: boolean;
  /** Without a dialog, the button acts at once. */
  readonly Dialog?: ComponentType<Answering>;
}

// Approving is not here: waiting.tsx shows it beside the names of the gates.
const BUTTONS: readonly Button[] = [
  { action: "decide", name: "Decide …", Dialog: DecideDialog },
  { action: "steer", name: "Steer …", Dialog: SteerDialog },
  { action: "pause", name: "Pause" },
  { action: "resume", name: "Resume …", Dialog: ResumeDialog },
  { action: "deliver", name: "Deliver …", Dialog: DeliverDialog },
  { action: "restore", name: "Restore files …", Dialog: RestoreDialog },
  { action: "stop", name: "Stop …", danger: true, Dialog: StopDialog },
];

export function ActionBar() {
  const { actions, state } = useRun().overview;
  const [open, setOpen] = useState<Action>();
  const [words, setWords] = useState("");
  const { busy, problem, send } = useTell("The run pauses as soon as it can.", setWords);
  // The message belongs to the state before.
  useEffect(() => setWords(""), [state]);
  const shown = BUTTONS.filter(({ action }) => actions.includes(action));
  const Dialog = BUTTONS.find(({ action }) => action === open)?.Dialog;
  return (
    <div class="actions">
      {shown.map(({ action, name, danger, Dialog: own }) => (
        <button
          key={action}
          type="button"
          class={danger ? "danger" : undefined}
          disabled={!own && busy}
          onClick={() => (own ? setOpen(action) : void send(action, {}))}
        >
          {name}
        </button>
      ))}
      <span class="action-words" role="status">
        {problem ? <span class="error-words">{problem}</span> : words}
      </span>
      {Dialog && <Dialog onDone={setWords} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
