// Context with the run that the frame keeps up to date.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview } from "#spec/overview";

export interface RunInView {
  readonly overview: Overview;
  readonly receivedAt: number;
  readonly refresh: () => void;
}

export const RunContext = createContext<RunInView | undefined>(undefined);

/** Throws outside the frame of a run. */
export function useRun(): RunInView {
  const run = useContext(RunContext);
  if (!run) throw new Error("useRun() was called outside of the frame of a run");
  return run;
}
