// HTTP API client. A failed request throws an ApiError whose message can be shown to the user.
import { store } from "./store.ts";

const BASE = "/api/v1";

export interface Problem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
}

interface Refusal {
  /** 0 when the server cannot be reached. */
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];
}

export class ApiError extends Error implements Refusal {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(message: string, { status, code, problems }: Refusal) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

/** Whether the user is signed in; false after a 401. */
export const signedIn = store(true);

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

async function readRefusal(response: Response): Promise<ApiError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const error = (body as { error?: Record<string, unknown> } | undefined)?.error;
  const message = asText(error?.message) ?? `the server answered ${status} ${response.statusText}`.trim();
  const problems = Array.isArray(error?.problems) ? (error.problems as Problem[]) : [];
  return new ApiError(message, { status, code: asText(error?.code) ?? `status-${status}`, problems });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(BASE + path, { credentials: "same-origin", ...init }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new ApiError("the server cannot be reached; is `converge serve` still running?", {
        status: 0,
        code: "unreachable",
        problems: [],
      });
    },
  );
  if (!response.ok) {
    const error = await readRefusal(response);
    if (error.status === 401) signedIn.set(false);
    throw error;
  }
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {});
}

export function post<T>(path: string, body: object = {}): Promise<T> {
  return ask<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** `?a=1&b=2` from the values that are set; "" if there are none. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const set = Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [[key, String(value)]],
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set)}`;
}

export const runPath = (id: string, rest = ""): string => `/runs/${encodeURIComponent(id)}${rest}`;

/** The message of an error. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
