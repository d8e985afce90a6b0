// One API request and its response, independent of the transport.

export interface Question {
  readonly url: URL;
  /** The whole body, or only its end, which is enough for a log. */
  readonly keep: "all" | "end";
  readonly timeoutMs: number;
}

export interface Reply {
  /** 0 when there was no response; the body then says why. */
  readonly status: number;
  readonly body: string;
  header(name: string): string | undefined;
}

export type Ask = (question: Question, signal: AbortSignal) => Promise<Reply>;

/** Larger than any list of 100 entries. */
export const BODY_BYTES = 16 * 1024 * 1024;
export const LOG_BYTES = 1024 * 1024;

export function noAnswer(why: string): Reply {
  return { status: 0, body: why, header: () => undefined };
}
