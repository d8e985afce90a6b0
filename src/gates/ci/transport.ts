// Port of a transport: sends one API request and returns its response.

export interface ApiRequest {
  readonly url: URL;
  /** The whole body, or only its end, which is enough for a log. */
  readonly keep: "all" | "end";
  readonly timeoutMs: number;
}

export interface ApiResponse {
  /** 0 when there was no response; the body then says why. */
  readonly status: number;
  readonly body: string;
  header(name: string): string | undefined;
}

export type Transport = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

/** Larger than any list of 100 entries. */
export const BODY_BYTES = 16 * 1024 * 1024;
export const LOG_BYTES = 1024 * 1024;

export function noResponse(why: string): ApiResponse {
  return { status: 0, body: why, header: () => undefined };
}
