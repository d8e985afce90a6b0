// Keyboard shortcuts, active while the user is not typing. Each view registers its own.
import { useEffect, useRef } from "preact/hooks";
import { store } from "./store.ts";

export interface Shortcut {
  readonly key: string;
  /** Description for the list. */
  readonly does: string;
  readonly run: () => void;
}

/** The shortcuts of all mounted components, the newest last. */
export const shortcuts = store<readonly (readonly Shortcut[])[]>([]);

const TYPING = "input, textarea, select, [contenteditable]";

/** Whether the user is typing or in a dialog. */
function busy(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof Element && target.closest(TYPING) !== null;
}

export function watchKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || busy(event.target))
      return;
    const found = shortcuts
      .get()
      .flat()
      .findLast(({ key }) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

/** Registers shortcuts while the component is mounted. */
export function useShortcuts(wanted: readonly Shortcut[]): void {
  const newest = useRef(wanted);
  newest.current = wanted;
  useEffect(() => {
    // The keys are fixed; each calls the newest handler.
    const mine = newest.current.map(({ key, does }, at) => ({
      key,
      does,
      run: () => newest.current[at]?.run(),
    }));
    shortcuts.set([...shortcuts.get(), mine]);
    return () => shortcuts.set(shortcuts.get().filter((each) => each !== mine));
  }, []);
}
