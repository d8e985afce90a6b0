// In-memory state of a host's sessions: one record per session, kept for the lifetime of the host.

/** A session that waits until an error is over. */
interface Recovery {
  readonly timer?: ReturnType<typeof setTimeout>;
  /** Length of the conversation at the time of the error, if known. */
  readonly from?: number;
}

interface LiveSession {
  /** Handling of the current event. An idle event that arrives meanwhile belongs to the same turn. */
  work: Promise<void> | undefined;
  recovery: Recovery | undefined;
  /** Iteration of the last prompt that this host sent to the session. */
  promptedIteration: number | undefined;
  /** True after an idle event without news since that prompt. */
  hasLateIdle: boolean;
  /** True while the loop is being cancelled: no prompt may be sent. */
  isCancelling: boolean;
  /** Runs cancelled here, whose end needs no second toast. */
  readonly cancelledRuns: Set<string>;
}

export class LiveSessions {
  readonly #records = new Map<string, LiveSession>();

  of(session: string): LiveSession {
    const record = this.#records.get(session) ?? {
      work: undefined,
      recovery: undefined,
      promptedIteration: undefined,
      hasLateIdle: false,
      isCancelling: false,
      cancelledRuns: new Set<string>(),
    };
    this.#records.set(session, record);
    return record;
  }

  /** Forgets a recovery and the last prompt, because a turn, a cancel or a new loop follows. */
  reset(session: string): void {
    const live = this.of(session);
    clearTimeout(live.recovery?.timer);
    live.recovery = undefined;
    live.promptedIteration = undefined;
    live.hasLateIdle = false;
  }
}
