// HTTP transport that sends the token only to the API's own origin. Follows redirects itself and limits bodies.
import { bodyOf, isLoopback, isPrivate, networkReason } from "#system/http";
import { type Ask, BODY_BYTES, LOG_BYTES, noAnswer, type Question, type Reply } from "./ask.ts";

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Prevents SSRF: a remote server must not redirect to this machine, nor to an unencrypted URL. */
function mayRedirect(base: URL, to: URL): boolean {
  return isPrivate(to) && (isLoopback(base) || !isLoopback(to));
}

async function readReply(response: Response, keep: Question["keep"]): Promise<Reply> {
  const bytes = await bodyOf(response, keep === "end" ? LOG_BYTES : BODY_BYTES, keep);
  if (bytes === undefined) return noAnswer(`the answer is larger than ${BODY_BYTES} bytes`);
  return {
    status: response.status,
    body: bytes.toString("utf8"),
    header: (name) => response.headers.get(name) ?? undefined,
  };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === "TimeoutError") return `nothing within ${timeoutMs / 1000} s`;
  return networkReason(error);
}

export function http(base: URL, token: string): Ask {
  const follow = async (url: URL, question: Question, signal: AbortSignal, left: number): Promise<Reply> => {
    const own = url.origin === base.origin && { authorization: `Bearer ${token}` };
    const headers = { accept: "application/vnd.github+json", "user-agent": "converge", ...own };
    const response = await fetch(url.href, { headers, redirect: "manual", signal });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return readReply(response, question.keep);
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (left === 0 || next === undefined || !mayRedirect(base, next))
      return noAnswer(`${url.host} redirects to where it may not`);
    return follow(next, question, signal, left - 1);
  };
  return async (question, signal) => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(question.timeoutMs)]);
    try {
      return await follow(question.url, question, bounded, MOST_REDIRECTS);
    } catch (error) {
      return noAnswer(reasonOf(error, question.timeoutMs));
    }
  };
}
