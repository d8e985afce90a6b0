// Continue or stop, and why. Recorded as it was made.

export interface Decision {
  readonly continue: boolean;
  readonly reason: string;
  /** 0..1 */
  readonly confidence: number;
  /** Extra words for the next prompt. */
  readonly feedback?: string;
  /** With `continue: false`: end as converged although gates are red or absent (`partial` when red). */
  readonly accept?: boolean;
  /** With `continue: false`: park the run until a person has decided. */
  readonly wait?: boolean;
  /** With `continue: true`: put the workspace back to this iteration first (0 is the base). */
  readonly rollbackTo?: number;
  /** With `continue: true`: the agent begins a new session, also where it would go on with its own. */
  readonly fresh?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
