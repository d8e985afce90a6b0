// Represents an interactive session as an agent: returns the turn that has ended, and is away for any other iteration.

import type { Agent, AgentResult } from "#spec/agent";
import type { SessionKey, Turn } from "#spec/session";
import type { Task } from "#spec/task";
import { oneLine, plain, tail } from "#text/plain-text";
import { withCost } from "./shared/prices.ts";

const MESSAGE_CHARS = 8_000;
const REASON_CHARS = 300;

/** The ended turn and its duration; `retryAt` when it was interrupted and is retried. */
export interface Ended {
  readonly turn: Turn;
  readonly durationMs: number;
  readonly retryAt?: string;
}

function resultOf({ turn, durationMs }: Ended, session: string, prices: Task["prices"]): AgentResult {
  const message = tail(plain(turn.message).trim(), MESSAGE_CHARS);
  const failed =
    turn.error === undefined ? (message === "" ? "the turn had no output" : undefined) : turn.error;
  return {
    ok: failed === undefined,
    ...(failed !== undefined && { failure: "crashed" as const, reason: oneLine(failed, REASON_CHARS) }),
    exitCode: null,
    message,
    usage: withCost(turn.usage ?? {}, turn.model, prices),
    ...(turn.model && { model: turn.model }),
    sessionId: session,
    durationMs,
    leftBehind: [],
  };
}

export function sessionAgent(
  { host, session }: SessionKey,
  ended: Ended | undefined,
  prices: Task["prices"],
): Agent {
  return {
    name: `${host} session`,
    resumes: true,
    async *run({ iteration }) {
      const activity = `the ${host} session works on iteration ${iteration}`;
      if (ended?.turn.iteration !== iteration) return yield { type: "away", reason: activity };
      if (ended.retryAt === undefined)
        return yield { type: "finished", result: resultOf(ended, session, prices) };
      const reason = `${oneLine(ended.turn.error ?? "", REASON_CHARS)}; ${activity} again a little later`;
      yield { type: "away", reason, until: ended.retryAt };
    },
  };
}
