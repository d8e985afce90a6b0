// Who may come in: the token, by header or cookie, and keys that are good for one entrance.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Long enough to switch to the browser. */
const KEY_MS = 10 * 60_000;
const MOST_KEYS = 20;
const COOKIE = "converge";
const COOKIE_SECONDS = 30 * 24 * 3600;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Takes as long for every text, whatever it has in common with the secret. */
const same = (given: string, secret: string) => timingSafeEqual(digest(given), digest(secret));

export interface Keys {
  /** The token is in the header or in the cookie. */
  admits(headers: Headers): boolean;
  /** A key for one entrance, within a few minutes. */
  issue(): string;
  /** True once for each key that was issued. */
  use(key: string): boolean;
  /** What makes a browser come with the token from now on. */
  cookie(secure: boolean): string;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;

function cookieIn(headers: Headers): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

export function keys(token: string, now: () => number = Date.now): Keys {
  const issued = new Map<string, number>();
  return {
    admits: (headers) => {
      const [, bearer] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
      return [bearer, cookieIn(headers)].some((given) => given !== undefined && same(given, token));
    },
    issue: () => {
      const key = randomBytes(16).toString("base64url");
      issued.set(key, now() + KEY_MS);
      const [oldest] = issued.keys();
      if (issued.size > MOST_KEYS && oldest !== undefined) issued.delete(oldest);
      return key;
    },
    use: (given) => {
      const key = [...issued.keys()].find((one) => same(given, one));
      const until = key === undefined ? 0 : (issued.get(key) ?? 0);
      if (key !== undefined) issued.delete(key);
      return now() < until;
    },
    cookie: (secure) =>
      `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_SECONDS}${secure ? "; Secure" : ""}`,
  };
}
