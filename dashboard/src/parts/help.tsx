// Keyboard shortcuts, listed on `?`.
import { useState } from "preact/hooks";
import { shortcuts, useShortcuts } from "../shortcuts.ts";
import { useStore } from "../store.ts";
import { Dialog } from "./dialog.tsx";

function Keys() {
  const known = new Map(
    useStore(shortcuts)
      .flat()
      .map(({ key, does }) => [key, does]),
  );
  return (
    <dl class="keys">
      {[...known].map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Help() {
  const [shown, setShown] = useState(false);
  useShortcuts([{ key: "?", does: "show the keyboard shortcuts", run: () => setShown(true) }]);
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Keyboard shortcuts"
        title="Keys (?)"
        onClick={() => setShown(true)}
      >
        <span aria-hidden="true">?</span>
      </button>
      {shown && (
        <Dialog title="Keyboard shortcuts" onClose={() => setShown(false)}>
          <Keys />
          <form method="dialog" class="dialog-buttons">
            <button type="submit">Close</button>
          </form>
        </Dialog>
      )}
    </>
  );
}
