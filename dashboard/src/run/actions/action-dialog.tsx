// Dialog for one command: explanation, fields, submit and cancel.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { useTell } from "./use-tell.ts";

export interface ActionDialogProps {
  readonly title: string;
  /** Label of the submit button. */
  readonly does: string;
  /** Message after success. */
  readonly done: string;
  readonly danger?: boolean;
  readonly action: string;
  readonly body: (form: FormData) => object;
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

export function ActionDialog(props: ActionDialogProps) {
  const { title, does, done, danger = false, action, body, onDone, onClose, children } = props;
  const { busy, problem, send } = useTell(done, onDone);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (form.current && (await send(action, body(new FormData(form.current))))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} onSubmit={submit}>
        {children}
        {problem && (
          <p class="error-words" role="alert">
            {problem}
          </p>
        )}
        <div class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={danger ? "danger" : "primary"} disabled={busy}>
            {does}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The named fields that are not empty. */
export function readFields(form: FormData, ...names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, String(form.get(name) ?? "").trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
