// Describes how an agent's process ended: not started, killed by a limit, or command not found.
import type { AgentFailure, AgentRequest } from "#spec/agent";
import type { ProcessEnd } from "#system/processes/process";
import { head, plain } from "#text/plain-text";

export interface Ending {
  readonly failure: AgentFailure;
  readonly reason: string;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

/** The last line of standard error, to append to a reason. */
export function lastLine(stderr: string): string {
  const line = plain(stderr).trim().split("\n").at(-1) ?? "";
  return line ? `: ${head(line, 300)}` : "";
}

/** The failure when the process did not start or was stopped; undefined when it exited by itself. */
export function forcedEnding(end: ProcessEnd, request: AgentRequest, shown: string): Ending | undefined {
  switch (end.cause) {
    case "not-started":
      return { failure: "crashed", reason: `${shown} could not be started: ${end.error}` };
    case "timed-out":
      return {
        failure: "timed-out",
        reason: `${shown} was ended after ${seconds(request.timeoutMs)}, its time limit`,
      };
    case "idle":
      return {
        failure: "idle",
        reason: `${shown} printed nothing for ${seconds(request.idleMs ?? 0)} and was ended`,
      };
    case "cancelled":
      return { failure: "cancelled", reason: `${shown} was stopped` };
    case "exited":
      return undefined;
  }
}

/** The failure for shell exit codes 126 and 127. `remedy` says what to do. */
export function startFailure(code: number | null, shown: string, remedy: string): Ending | undefined {
  if (code === 127) return { failure: "not-found", reason: `${shown}: command not found; ${remedy}` };
  if (code === 126)
    return { failure: "not-found", reason: `${shown} is not executable; chmod +x it, or ${remedy}` };
  return undefined;
}
