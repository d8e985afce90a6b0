// converge ralph: the same loop as in a session, but in the terminal and with an agent that we start.
import { LOOP_DEFAULTS } from "#hooks/sessions/session-task";
import { UsageError } from "#spec/errors";
import { begin, fileFrom, inputFrom, type RunFlags } from "./run.ts";

export interface RalphFlags extends Omit<RunFlags, "prompt"> {
  /** False with --no-gates. */
  readonly gates: boolean;
  readonly completionPromise?: string;
}

export function ralph(words: readonly string[], flags: RalphFlags): Promise<number> {
  const { completionPromise: promise, gates, gate } = flags;
  if (!gates && gate) throw new UsageError("give --gate or --no-gates, not both");
  const asked = {
    ...inputFrom({ ...flags, prompt: words.join(" ") }),
    requirePromise: true,
    ...(promise !== undefined && { promise }),
    ...(!gates && { gates: [] }),
  };
  return begin({ ...fileFrom(undefined), flags: asked, defaults: LOOP_DEFAULTS }, flags);
}
