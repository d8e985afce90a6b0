// One question to the API and its answer, however it travels.

export interface Question {
  readonly url: URL;
  /** The whole body, or no more than its end: of a log, only that is of interest. */
  readonly keep: "all" | "end";
  readonly timeoutMs: number;
}

export interface Reply {
  /** 0 when no answer came; the body then says why. */
  readonly status: number;
  readonly body: string;
  header(name: string): string | undefined;
}

export type Ask = (question: Question, signal: AbortSignal) => Promise<Reply>;

/** More than any list of 100 entries has. */
export const BODY_BYTES = 16 * 1024 * 1024;
export const LOG_BYTES = 1024 * 1024;

export function noAnswer(why: string): Reply {
  return { status: 0, body: why, header: () => undefined };
}
