// API client with retries: honours rate limits, retries transient errors, and reads all pages.
import type { z } from "zod";
import { backoffMs } from "#rules/backoff";
import type { Clock } from "#system/clock";
import { head, plain } from "#text/plain-text";
import type { Access } from "./access.ts";
import type { Question, Reply } from "./ask.ts";
import { CannotJudge } from "./cannot-judge.ts";
import { type Page, problem } from "./shapes.ts";

const PER_PAGE = 100;
const MOST_PAGES = 10;
const MOST_TRIES = 6;
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };
const LONGEST_REQUEST_MS = 60_000;
const SHORTEST_REQUEST_MS = 1_000;
const SHORTEST_WAIT_MS = 1_000;

export interface Client {
  /** All entries of a list, over all pages. */
  list<T>(path: string, shape: z.ZodType<Page<T>>): Promise<readonly T[]>;
  /** The end of a text. */
  end(path: string): Promise<string>;
  /** Pauses that long, but not beyond the deadline. */
  wait(ms: number): Promise<void>;
  /** Milliseconds until the deadline. */
  left(): number;
}

export interface ClientOptions {
  readonly base: URL;
  readonly repository: string;
  readonly access: Access;
  readonly clock: Clock;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** How long the server asks to wait; undefined when it does not. */
function rateLimit({ status, header }: Reply, now: string): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = header("retry-after");
  if (after !== undefined) {
    const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.parse(now)) / 1000;
    return Math.max(SHORTEST_WAIT_MS, (Number.isFinite(seconds) ? seconds : 60) * 1000);
  }
  const reset = Number(header("x-ratelimit-reset"));
  if (header("x-ratelimit-remaining") !== "0" || !Number.isFinite(reset)) return undefined;
  return Math.max(SHORTEST_WAIT_MS, reset * 1000 - Date.parse(now));
}

const passes = (status: number) => status === 0 || status === 408 || status === 429 || status >= 500;

const shown = (text: string) => head(plain(text).replace(/\s+/g, " ").trim(), 200);

/** The server's error in one line. */
function told({ status, body }: Reply): string {
  const message = shown(problem(body) ?? (status === 0 ? body : ""));
  return [status === 0 ? "no answer" : `HTTP ${status}`, message].filter(Boolean).join(": ");
}

function complaint(reply: Reply, { access, repository, base }: ClientOptions): string {
  switch (reply.status) {
    case 401:
      return `${access.name} was refused by ${base.host} (${told(reply)}); ${access.renew}`;
    case 403:
      return `${access.name} may not read the actions of ${repository} (${told(reply)}); give it the permissions actions:read and checks:read`;
    case 404:
      return `no such repository or no access: ${repository} at ${base.host}, asked with ${access.name}; check "repository" and the permission actions:read`;
    default:
      return `${base.host} cannot be asked (${told(reply)}); try again later, or check "baseUrl"`;
  }
}

export function client(options: ClientOptions): Client {
  const { base, repository, access, clock, deadline, signal } = options;
  const left = () => deadline - clock.monotonic();

  const checkSignal = () => {
    if (signal.aborted) throw new CannotJudge("was cut off before it was done");
  };
  const wait = async (ms: number) => {
    await clock.sleep(Math.min(ms, Math.max(0, left())), signal);
    checkSignal();
  };

  /** The delay before the next retry; undefined when the response is final. */
  const pause = (reply: Reply, tries: number): number | undefined => {
    const limited = rateLimit(reply, clock.now());
    if (limited === undefined)
      return passes(reply.status) && tries < MOST_TRIES ? backoffMs(tries - 1, BACKOFF) : undefined;
    if (limited < left()) return limited;
    throw new CannotJudge(
      `${base.host} limits the rate for another ${Math.round(limited / 1000)} s, longer than there is time; try again then, or raise "timeout"`,
    );
  };

  const ask = async (path: string, keep: Question["keep"]): Promise<Reply> => {
    const url = new URL(`${base.href.replace(/\/$/, "")}/repos/${repository}/${path}`);
    for (let tries = 1; ; tries++) {
      checkSignal();
      const timeoutMs = Math.max(SHORTEST_REQUEST_MS, Math.min(LONGEST_REQUEST_MS, Math.ceil(left())));
      const reply = await access.ask({ url, keep, timeoutMs }, signal);
      checkSignal();
      if (reply.status === 200) return reply;
      const ms = pause(reply, tries);
      if (ms === undefined || ms >= left()) throw new CannotJudge(complaint(reply, options));
      await wait(ms);
    }
  };

  const parse = <T>({ body }: Reply, shape: z.ZodType<T>): T => {
    const parsed = shape.safeParse(asJson(body));
    if (parsed.success) return parsed.data;
    throw new CannotJudge(`${base.host} does not answer like the GitHub API; check "baseUrl"`);
  };

  return {
    left,
    wait,
    end: async (path) => (await ask(path, "end")).body,
    list: async (path, shape) => {
      const items = [];
      let total = 0;
      for (let page = 1; page <= MOST_PAGES; page++) {
        const asked = `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`;
        const reply = await ask(asked, "all");
        const read = parse(reply, shape);
        items.push(...read.items);
        total = Math.max(total, read.total ?? 0);
        if (!/rel="?next"?/.test(reply.header("link") ?? "")) break;
      }
      // Pages are missing: an unread run may have failed.
      if (items.length < total)
        throw new CannotJudge(
          `${base.host} lists ${total} entries, of which ${items.length} could be read; name the "workflows" or the "branch"`,
        );
      return items;
    },
  };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
