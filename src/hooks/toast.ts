// Toast messages of a session loop for the user.
import type { SessionLoop, TurnAnswer } from "#spec/session";
import { oneLine } from "#text/plain-text";

export interface Toast {
  readonly title: string;
  readonly message: string;
  readonly variant: "info" | "success" | "warning" | "error";
  /** Milliseconds. */
  readonly duration: number;
}

const REASON_CHARS = 300;
const TASK_CHARS = 120;

const times = (count: number) => `${count} iteration${count === 1 ? "" : "s"}`;

function describeEnd({ promise, gates }: SessionLoop): string {
  const gateText = gates.length === 0 ? "" : ` and ${gates.join(", ")} must pass`;
  return `ends with <promise>${promise}</promise>${gateText}`;
}

export function startToast(loop: SessionLoop): Toast {
  const message = `At most ${times(loop.maxIterations)}; ${describeEnd(loop)}. Run ${loop.run}`;
  return { title: "Ralph loop started", message, variant: "info", duration: 3_000 };
}

export function statusToast(loop: SessionLoop): Toast {
  const task = oneLine(loop.prompt, TASK_CHARS);
  const message = `Iteration ${loop.iteration} of ${loop.maxIterations}: ${task}\n${describeEnd(loop)}. \`converge show ${loop.run}\` shows details`;
  return { title: "Ralph loop", message, variant: "info", duration: 8_000 };
}

export function cancelToast({ iteration, run }: SessionLoop, reason: string): Toast {
  const message = `Stopped in iteration ${iteration}: ${reason}. Run ${run}`;
  return { title: "Ralph loop cancelled", message, variant: "info", duration: 3_000 };
}

export const noLoopToast: Toast = {
  title: "No Ralph loop",
  message: "This session has no loop; /ralph starts one",
  variant: "info",
  duration: 3_000,
};

export const refusedToast: Toast = {
  title: "Ralph loop waits",
  message: "The turn stopped early; the loop continues after your next message. /cancel-ralph ends it",
  variant: "warning",
  duration: 8_000,
};

export function warningToast(message: string): Toast {
  return { title: "Ralph loop", message, variant: "warning", duration: 8_000 };
}

export function problemToast(message: string): Toast {
  return { title: "Ralph loop", message, variant: "error", duration: 8_000 };
}

/** Undefined when there is nothing to show. */
export function answerToast(answer: TurnAnswer): Toast | undefined {
  if (answer.type === "none") return undefined;
  const { iteration, maxIterations, run } = answer.loop;
  if (answer.type === "go-on")
    return {
      title: "Ralph loop",
      message: `Iteration ${iteration} of ${maxIterations}`,
      variant: "info",
      duration: 2_000,
    };
  const reason = oneLine(answer.reason, REASON_CHARS);
  if (answer.type === "ended" && answer.outcome === "converged")
    return {
      title: "Ralph loop complete",
      message: `${times(iteration)}: ${reason}. Run ${run}`,
      variant: "success",
      duration: 5_000,
    };
  const title = answer.type === "ended" ? "Ralph loop stopped" : "Ralph loop waits";
  return { title, message: `${reason}. Run ${run}`, variant: "warning", duration: 5_000 };
}
