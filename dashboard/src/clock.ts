// The time, for everything that shows how long something takes: one timer for all, and none when nobody looks.
import { useEffect, useState } from "preact/hooks";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of [...listeners]) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** What the reading gives now, looked at every second; nothing is drawn while it stays the same. */
export function useEverySecond<T>(read: () => T): T {
  const [, setText] = useState<T>(read);
  useEffect(() => subscribe(() => setText(read)));
  return read();
}
