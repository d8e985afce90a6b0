// Sends one POST request to an external server, with a timeout and without following redirects; callers do the retries.
import { networkReason } from "./http.ts";

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type Posted =
  | { readonly ok: true; readonly status: number }
  /** `again`: whether a retry may succeed; `afterMs`: the server's Retry-After. */
  | {
      readonly ok: false;
      readonly why: string;
      readonly again: "soon" | "later" | "never";
      readonly afterMs?: number;
    };

/** Parses Retry-After, seconds or a date; undefined when it is neither. */
function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function readResponse(response: Response): Posted {
  const { status } = response;
  if (response.ok) return { ok: true, status };
  if (status >= 300 && status < 400)
    return { ok: false, why: `answered ${status}, and redirects are not followed`, again: "never" };
  const afterMs = retryAfter(response);
  const why = `answered ${status}`;
  if (status !== 429 && status < 500) return { ok: false, why, again: "never" };
  return { ok: false, why, again: "soon", ...(afterMs !== undefined && { afterMs }) };
}

/** Never rejects, and never puts the URL into a message: it may hold a token. */
export async function post({ url, body, headers, timeoutMs, signal }: Post): Promise<Posted> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { ...headers, "content-type": "application/json" },
      redirect: "manual",
      signal: AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    return readResponse(response);
  } catch (error) {
    if (timeout.aborted) return { ok: false, why: `no answer within ${timeoutMs / 1000} s`, again: "soon" };
    if (signal.aborted) return { ok: false, why: "no answer yet", again: "later" };
    return { ok: false, why: networkReason(error).replaceAll(url, "the URL"), again: "soon" };
  }
}
