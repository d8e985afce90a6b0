// Server side of `converge hook session`, for programs that cannot load this package: parses a call and executes it.
import path from "node:path";
import * as z from "zod";
import { UsageError } from "#spec/errors";
import type { SessionKey, Sessions, SessionWish, Turn } from "#spec/session";
import { openContext } from "#state/context";
import { oneLine } from "#text/plain-text";
import { sessions } from "./sessions/session-runs.ts";

/** The protocol: one call as JSON on standard input, one answer on standard output. */
export type Call =
  | { readonly call: "start"; readonly key: SessionKey; readonly wish: SessionWish }
  | { readonly call: "find"; readonly key: SessionKey }
  | { readonly call: "turn"; readonly key: SessionKey; readonly turn: Turn }
  | { readonly call: "cancel"; readonly key: SessionKey; readonly reason: string }
  | { readonly call: "list"; readonly host: string; readonly dir?: string };

export interface CallAnswer {
  /** Absent when the call returns nothing or failed. */
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string };
  /** Warnings for the user. */
  readonly warnings: readonly string[];
}

const INPUT_CHARS = 200;
const count = z.int().nonnegative();
const text = z.string();
const name = text.min(1);
const key = z.strictObject({ host: name, session: name });

const wish = z.strictObject({
  prompt: text,
  dir: text.refine(path.isAbsolute, "expected an absolute path"),
  // The task reader validates the range and names the option in its message.
  maxIterations: z.number().exactOptional(),
  promise: text.exactOptional(),
  gates: z.array(text).exactOptional(),
  mark: count.exactOptional(),
  description: text.exactOptional(),
});

const usage = z.strictObject({
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  cachedTokens: count.exactOptional(),
  costUsd: z.number().nonnegative().exactOptional(),
});

const turn = z.strictObject({
  iteration: count,
  message: text,
  mark: count.exactOptional(),
  usage: usage.exactOptional(),
  model: text.exactOptional(),
  error: text.exactOptional(),
});

const SHAPES = {
  start: z.strictObject({ call: z.literal("start"), key, wish }),
  find: z.strictObject({ call: z.literal("find"), key }),
  turn: z.strictObject({ call: z.literal("turn"), key, turn }),
  cancel: z.strictObject({ call: z.literal("cancel"), key, reason: text }),
  list: z.strictObject({ call: z.literal("list"), host: name, dir: text.exactOptional() }),
} satisfies { [C in Call["call"]]: z.ZodType<Extract<Call, { call: C }>> };

function usageError(what: string): UsageError {
  return new UsageError(`converge hook session: ${what}`);
}

function parseInput(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    throw usageError(
      `expected a call as JSON on standard input, got ${oneLine(JSON.stringify(said), INPUT_CHARS)}`,
    );
  }
}

function readCall(said: string): Call {
  const call = parseInput(said);
  const callType = (call as { call?: unknown } | null)?.call;
  const known = Object.keys(SHAPES);
  if (typeof callType !== "string" || !known.includes(callType))
    throw usageError(
      `expected one of the calls ${known.join(", ")}, got ${oneLine(JSON.stringify(callType) ?? "none", INPUT_CHARS)}`,
    );
  const read = SHAPES[callType as Call["call"]].safeParse(call);
  if (read.success) return read.data;
  const problems = read.error.issues.map(
    ({ path: place, message }) => `${[callType, ...place].join(".")}: ${message}`,
  );
  throw usageError(oneLine(problems.join("; "), INPUT_CHARS * 5));
}

function execute(by: Sessions, call: Call): Promise<unknown> {
  switch (call.call) {
    case "start":
      return by.start(call.key, call.wish);
    case "find":
      return by.find(call.key);
    case "turn":
      return by.turn(call.key, call.turn);
    case "cancel":
      return by.cancel(call.key, call.reason);
    case "list":
      return by.list(call.host, call.dir);
  }
}

export async function answerCall(said: string): Promise<string> {
  const warnings: string[] = [];
  const say = (answer: Omit<CallAnswer, "warnings">) => JSON.stringify({ ...answer, warnings });
  try {
    const call = readCall(said);
    const app = openContext();
    try {
      const by = sessions(app, { warn: (warning) => warnings.push(warning) });
      return say({ value: await execute(by, call) });
    } finally {
      await app.store.close();
    }
  } catch (error) {
    const { name, message } = error as Error;
    return say({ error: { name, message } });
  }
}
