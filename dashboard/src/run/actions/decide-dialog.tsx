// Dialog: a person decides about the last iteration in place of the strategy.
import { useState } from "preact/hooks";
import { useRun } from "../run-context.ts";
import { ActionDialog, readFields } from "./action-dialog.tsx";
import type { Answering } from "./dialogs.tsx";

const CHOICES = [
  ["continue", "Continue: run another iteration"],
  ["accept", "Accept: end the run with these files"],
  ["rollback", "Roll back: continue from an earlier iteration"],
  ["stop", "Stop: end the run"],
] as const;

export function DecideDialog(answering: Answering) {
  const { iterations, best } = useRun().overview;
  const [choice, setChoice] = useState<string>("continue");
  const body = (form: FormData): object => {
    const { iteration, ...rest } = readFields(form, "choice", "feedback", "iteration");
    return { ...rest, ...(iteration !== undefined && { iteration: Number(iteration) }) };
  };
  return (
    <ActionDialog title="Decide" does="Decide" done="Decided." action="decide" body={body} {...answering}>
      <fieldset class="choices">
        <legend>What should happen after iteration {iterations}?</legend>
        {CHOICES.map(([value, words]) => (
          <label key={value} class="choice">
            <input
              type="radio"
              name="choice"
              value={value}
              checked={choice === value}
              onChange={() => setChoice(value)}
            />
            {words}
          </label>
        ))}
      </fieldset>
      {choice === "rollback" && (
        <label>
          <span>Continue from iteration (0 is the baseline)</span>
          <input
            name="iteration"
            type="number"
            min={0}
            max={iterations}
            required
            defaultValue={String(best?.iteration ?? 0)}
          />
        </label>
      )}
      {(choice === "continue" || choice === "rollback") && (
        <label>
          <span>Feedback for the next prompt (optional)</span>
          <textarea name="feedback" rows={3} />
        </label>
      )}
    </ActionDialog>
  );
}
