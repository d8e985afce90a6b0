// A strategy's decision to continue or stop, with its reason. Recorded as an event.

export interface Decision {
  readonly continue: boolean;
  readonly reason: string;
  /** 0..1 */
  readonly confidence: number;
  /** Additional text for the next prompt. */
  readonly feedback?: string;
  /** With `continue: false`: end as converged although gates fail or are absent (`partial` when they fail). */
  readonly accept?: boolean;
  /** With `continue: false`: park the run until a person decides. */
  readonly wait?: boolean;
  /** With `continue: true`: restore the workspace to this iteration first (0 is the base). */
  readonly rollbackTo?: number;
  /** With `continue: true`: the agent starts a new session, even if it would resume its own. */
  readonly fresh?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
