// Turn limits: asks the agent to cancel first, and kills its process only when it does not.
import type { AgentRequest } from "#spec/agent";
import { LONGEST_TIMER } from "#system/clock";

export type Stop = "timed-out" | "idle" | "cancelled";

export interface Limits {
  /** Aborts when the process must be killed. */
  readonly process: AbortSignal;
  /** What stopped the turn first. */
  stopped(): Stop | undefined;
  /** Resets the idle timeout: the agent printed something. */
  heard(): void;
  /** Sets how to ask the agent to cancel. Until then, its process is killed at once. */
  onStop(ask: () => void): void;
  /** The turn is over: the process gets a short grace period to exit by itself. */
  over(): void;
  close(): void;
}

const CANCEL_GRACE_MS = 2_000;
const EXIT_GRACE_MS = 1_000;
const POLL_MS = 200;

export function openLimits({ timeoutMs, idleMs }: AgentRequest, signal: AbortSignal): Limits {
  const kill = new AbortController();
  const end = () => kill.abort();
  let cause: Stop | undefined;
  let isOver = false;
  let ask: (() => void) | undefined;
  let lastOutputAt = performance.now();
  let killTimer: NodeJS.Timeout | undefined;

  const stop = (reason: Stop) => {
    if (cause || isOver) return;
    cause = reason;
    if (!ask) return end();
    ask();
    killTimer = setTimeout(end, CANCEL_GRACE_MS);
  };
  const cancel = () => stop("cancelled");
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const deadline = setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER), "timed-out");
  const checkIdle = (longestMs: number) => {
    if (performance.now() - lastOutputAt >= longestMs) stop("idle");
  };
  const idleTimer =
    idleMs === undefined ? undefined : setInterval(checkIdle, Math.min(POLL_MS, idleMs), idleMs);

  return {
    process: kill.signal,
    stopped: () => cause,
    heard: () => {
      lastOutputAt = performance.now();
    },
    onStop: (how) => {
      ask = how;
    },
    over: () => {
      isOver = true;
      clearTimeout(killTimer);
      killTimer = setTimeout(end, EXIT_GRACE_MS);
    },
    close: () => {
      signal.removeEventListener("abort", cancel);
      clearTimeout(deadline);
      clearInterval(idleTimer);
      clearTimeout(killTimer);
    },
  };
}
