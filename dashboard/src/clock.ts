// One shared timer for everything that shows a running time; it runs only while something uses it.
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

/** Reads a value every second; draws again only when it changes. */
export function useEverySecond<T>(read: () => T): T {
  const [, setText] = useState<T>(read);
  useEffect(() => subscribe(() => setText(read)));
  return read();
}
