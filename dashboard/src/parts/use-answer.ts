// What the API answers to a question, asked again when the question changes; the old answer stays until the new one is there.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";

export interface Answer<T> {
  /** The question that `value` answers. */
  readonly path?: string;
  readonly value?: T;
  readonly error?: unknown;
  readonly busy: boolean;
}

/** `again` asks once more when it changes; without a path nothing is asked. */
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
