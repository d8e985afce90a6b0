// HTTP transport that sends the token only to the API's own origin. Follows redirects itself and limits bodies.
import { bodyOf, isLoopback, isPrivate, networkReason } from "#system/http";
import {
  type ApiRequest,
  type ApiResponse,
  BODY_BYTES,
  LOG_BYTES,
  noResponse,
  type Transport,
} from "./transport.ts";

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Prevents SSRF: a remote server must not redirect to this machine, nor to an unencrypted URL. */
function mayRedirect(base: URL, to: URL): boolean {
  return isPrivate(to) && (isLoopback(base) || !isLoopback(to));
}

async function readResponse(response: Response, keep: ApiRequest["keep"]): Promise<ApiResponse> {
  const bytes = await bodyOf(response, keep === "end" ? LOG_BYTES : BODY_BYTES, keep);
  if (bytes === undefined) return noResponse(`the response is larger than ${BODY_BYTES} bytes`);
  return {
    status: response.status,
    body: bytes.toString("utf8"),
    header: (name) => response.headers.get(name) ?? undefined,
  };
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === "TimeoutError") return `timed out after ${timeoutMs / 1000} s`;
  return networkReason(error);
}

export function http(base: URL, token: string): Transport {
  const get = (url: URL, signal: AbortSignal) => {
    const own = url.origin === base.origin && { authorization: `Bearer ${token}` };
    const headers = { accept: "application/vnd.github+json", "user-agent": "converge", ...own };
    return fetch(url.href, { headers, redirect: "manual", signal });
  };
  const follow = async ({ url: start, keep }: ApiRequest, signal: AbortSignal): Promise<ApiResponse> => {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const response = await get(url, signal);
      const location = response.headers.get("location");
      if (!REDIRECTS.includes(response.status) || location === null) return readResponse(response, keep);
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (redirects === MOST_REDIRECTS || next === undefined || !mayRedirect(base, next))
        return noResponse(`${url.host} redirects to a URL that is not allowed`);
      url = next;
    }
  };
  return async (request, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)]);
    try {
      return await follow(request, limited);
    } catch (error) {
      return noResponse(reasonOf(error, request.timeoutMs));
    }
  };
}
