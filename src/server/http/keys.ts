// Authentication: the token, in a header or cookie, and single-use keys of links.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Long enough to switch to the browser. */
const KEY_MS = 10 * 60_000;
const MAX_KEYS = 20;
const COOKIE = "converge";
const COOKIE_SECONDS = 30 * 24 * 3600;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Constant-time comparison. */
const isEqual = (given: string, secret: string) => timingSafeEqual(digest(given), digest(secret));

export interface Keys {
  /** Whether the token is in the header or the cookie. */
  admits(headers: Headers): boolean;
  /** Creates a single-use key that expires after a few minutes. */
  issue(): string;
  /** True once for each issued key that has not expired. */
  use(key: string): boolean;
  /** The Set-Cookie value that logs a browser in. */
  cookie(secure: boolean): string;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;

function readCookie(headers: Headers): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

export function keys(token: string, now: () => number = Date.now): Keys {
  const issued = new Map<string, number>();
  return {
    admits: (headers) => {
      const [, bearer] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
      return [bearer, readCookie(headers)].some((given) => given !== undefined && isEqual(given, token));
    },
    issue: () => {
      const key = randomBytes(16).toString("base64url");
      issued.set(key, now() + KEY_MS);
      const [oldest] = issued.keys();
      if (issued.size > MAX_KEYS && oldest !== undefined) issued.delete(oldest);
      return key;
    },
    use: (given) => {
      const key = [...issued.keys()].find((one) => isEqual(given, one));
      const until = key === undefined ? 0 : (issued.get(key) ?? 0);
      if (key !== undefined) issued.delete(key);
      return now() < until;
    },
    cookie: (secure) =>
      `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_SECONDS}${secure ? "; Secure" : ""}`,
  };
}
