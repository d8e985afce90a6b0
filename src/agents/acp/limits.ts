// When a turn has to end: the agent is asked to cancel it first, and its process is ended only when that was not enough.
import type { AgentRequest } from "#spec/agent";
import { LONGEST_TIMER } from "#system/clock";

export type Stop = "timed-out" | "idle" | "cancelled";

export interface Limits {
  /** Aborts when the process is to be ended. */
  readonly process: AbortSignal;
  /** The first thing that stopped the turn. */
  stopped(): Stop | undefined;
  /** It printed something. */
  heard(): void;
  /** How to ask it to cancel. Without, its process is ended at once. */
  onStop(ask: () => void): void;
  /** The turn is over: it may go by itself, for a moment. */
  over(): void;
  close(): void;
}

const CANCEL_MS = 2_000;
const LEAVE_MS = 1_000;
const POLL_MS = 200;

export function openLimits({ timeoutMs, idleMs }: AgentRequest, signal: AbortSignal): Limits {
  const ending = new AbortController();
  const end = () => ending.abort();
  let why: Stop | undefined;
  let isOver = false;
  let ask: (() => void) | undefined;
  let heardAt = performance.now();
  let last: NodeJS.Timeout | undefined;

  const stop = (cause: Stop) => {
    if (why || isOver) return;
    why = cause;
    if (!ask) return end();
    ask();
    last = setTimeout(end, CANCEL_MS);
  };
  const cancel = () => stop("cancelled");
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const deadline = setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER), "timed-out");
  const listen = (longestMs: number) => {
    if (performance.now() - heardAt >= longestMs) stop("idle");
  };
  const silence = idleMs === undefined ? undefined : setInterval(listen, Math.min(POLL_MS, idleMs), idleMs);

  return {
    process: ending.signal,
    stopped: () => why,
    heard: () => {
      heardAt = performance.now();
    },
    onStop: (how) => {
      ask = how;
    },
    over: () => {
      isOver = true;
      clearTimeout(last);
      last = setTimeout(end, LEAVE_MS);
    },
    close: () => {
      signal.removeEventListener("abort", cancel);
      clearTimeout(deadline);
      clearInterval(silence);
      clearTimeout(last);
    },
  };
}
