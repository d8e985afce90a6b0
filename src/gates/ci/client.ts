// API client with retries: honours rate limits, retries transient errors, and reads all pages.
import type { z } from "zod";
import { backoffMs } from "#rules/backoff";
import type { Clock } from "#system/clock";
import { head, plain } from "#text/plain-text";
import type { Access } from "./access.ts";
import { CannotJudge } from "./cannot-judge.ts";
import { errorMessage, type Page } from "./shapes.ts";
import type { ApiRequest, ApiResponse } from "./transport.ts";

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
function rateLimit({ status, header }: ApiResponse, now: string): number | undefined {
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

const isTransient = (status: number) => status === 0 || status === 408 || status === 429 || status >= 500;

const clip = (text: string) => head(plain(text).replace(/\s+/g, " ").trim(), 200);

/** The server's error in one line. */
function describeStatus({ status, body }: ApiResponse): string {
  const message = clip(errorMessage(body) ?? (status === 0 ? body : ""));
  return [status === 0 ? "no response" : `HTTP ${status}`, message].filter(Boolean).join(": ");
}

function describeError(response: ApiResponse, { access, repository, base }: ClientOptions): string {
  switch (response.status) {
    case 401:
      return `${base.host} rejected ${access.name} (${describeStatus(response)}); ${access.renew}`;
    case 403:
      return `${access.name} has no permission to read the actions of ${repository} (${describeStatus(response)}); give it the permissions actions:read and checks:read`;
    case 404:
      return `${base.host} has no repository ${repository}, or ${access.name} has no access to it; check "repository" and the permission actions:read`;
    default:
      return `the request to ${base.host} failed (${describeStatus(response)}); try again later, or check "baseUrl"`;
  }
}

const timeLeft = ({ deadline, clock }: ClientOptions) => deadline - clock.monotonic();

function checkSignal({ signal }: ClientOptions): void {
  if (signal.aborted) throw new CannotJudge("interrupted before it finished");
}

async function wait(options: ClientOptions, ms: number): Promise<void> {
  await options.clock.sleep(Math.min(ms, Math.max(0, timeLeft(options))), options.signal);
  checkSignal(options);
}

/** The delay before the next retry; undefined when the response is final. */
function retryDelay(options: ClientOptions, response: ApiResponse, tries: number): number | undefined {
  const limited = rateLimit(response, options.clock.now());
  if (limited === undefined)
    return isTransient(response.status) && tries < MOST_TRIES ? backoffMs(tries - 1, BACKOFF) : undefined;
  if (limited < timeLeft(options)) return limited;
  throw new CannotJudge(
    `${options.base.host} limits the rate for another ${Math.round(limited / 1000)} s, which exceeds the timeout; try again later, or raise "timeout"`,
  );
}

async function get(options: ClientOptions, path: string, keep: ApiRequest["keep"]): Promise<ApiResponse> {
  const { base, repository, access, signal } = options;
  const url = new URL(`${base.href.replace(/\/$/, "")}/repos/${repository}/${path}`);
  for (let tries = 1; ; tries++) {
    checkSignal(options);
    const left = Math.ceil(timeLeft(options));
    const timeoutMs = Math.max(SHORTEST_REQUEST_MS, Math.min(LONGEST_REQUEST_MS, left));
    const response = await access.send({ url, keep, timeoutMs }, signal);
    checkSignal(options);
    if (response.status === 200) return response;
    const ms = retryDelay(options, response, tries);
    if (ms === undefined || ms >= timeLeft(options)) throw new CannotJudge(describeError(response, options));
    await wait(options, ms);
  }
}

function parse<T>({ base }: ClientOptions, { body }: ApiResponse, shape: z.ZodType<T>): T {
  const parsed = shape.safeParse(asJson(body));
  if (parsed.success) return parsed.data;
  throw new CannotJudge(`${base.host} does not respond like the GitHub API; check "baseUrl"`);
}

async function list<T>(
  options: ClientOptions,
  path: string,
  shape: z.ZodType<Page<T>>,
): Promise<readonly T[]> {
  const items = [];
  let total = 0;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const query = `${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}&page=${page}`;
    const response = await get(options, path + query, "all");
    const parsed = parse(options, response, shape);
    items.push(...parsed.items);
    total = Math.max(total, parsed.total ?? 0);
    if (!/rel="?next"?/.test(response.header("link") ?? "")) break;
  }
  // Pages are missing: an unread run may have failed.
  if (items.length < total)
    throw new CannotJudge(
      `${options.base.host} lists ${total} entries, but only ${items.length} could be read; set "workflows" or "branch"`,
    );
  return items;
}

export function client(options: ClientOptions): Client {
  return {
    left: () => timeLeft(options),
    wait: (ms) => wait(options, ms),
    end: async (path) => (await get(options, path, "end")).body,
    list: (path, shape) => list(options, path, shape),
  };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
