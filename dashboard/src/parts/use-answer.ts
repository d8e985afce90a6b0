// Hook for a GET request that is repeated when its path changes; the old answer stays until the new one arrives.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";

export interface Answer<T> {
  /** The path that `value` belongs to. */
  readonly path?: string;
  readonly value?: T;
  readonly error?: unknown;
  readonly busy: boolean;
}

/** Requests again when `again` changes; without a path there is no request. */
export function useAnswer<T>(path: string | undefined, again?: unknown): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ busy: true });
  useEffect(() => {
    if (path === undefined) return;
    const aborting = new AbortController();
    setAnswer((before) => (before.path === path ? { ...before, busy: true } : { busy: true }));
    get<T>(path, aborting.signal).then(
      (value) => setAnswer({ path, value, busy: false }),
      (error: unknown) => {
        if (!aborting.signal.aborted) setAnswer((before) => ({ ...before, error, busy: false }));
      },
    );
    return () => aborting.abort();
  }, [path, again]);
  return answer;
}
