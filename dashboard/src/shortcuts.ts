// Keys that do something while nobody is typing. The view that is shown says which; `?` lists them.
import { useEffect, useRef } from "preact/hooks";
import { store } from "./store.ts";

export interface Shortcut {
  readonly key: string;
  /** What it does, for the list. */
  readonly does: string;
  readonly run: () => void;
}

/** Those of every part that is shown, the newest part last. */
export const shortcuts = store<readonly (readonly Shortcut[])[]>([]);

const TYPING = "input, textarea, select, [contenteditable]";

/** Typing, or at work in a dialog. */
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

/** As long as the part is shown. */
export function useShortcuts(wanted: readonly Shortcut[]): void {
  const newest = useRef(wanted);
  newest.current = wanted;
  useEffect(() => {
    // The keys stay; what they do is always what was said last.
    const mine = newest.current.map(({ key, does }, at) => ({
      key,
      does,
      run: () => newest.current[at]?.run(),
    }));
    shortcuts.set([...shortcuts.get(), mine]);
    return () => shortcuts.set(shortcuts.get().filter((each) => each !== mine));
  }, []);
}
