// Read model: all details of one iteration, as plain text with size limits.
import type { IterationDetail } from "#spec/overview";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { head, plain } from "#text/plain-text";
import { fetchLogs } from "./fetch-logs.ts";
import { logEntries } from "./log-files.ts";
import { rowOf } from "./overview.ts";

const TEXT_CHARS = 100_000;
const LIST_ITEMS = 2_000;

/** Strips control characters and truncates every text and list. */
function sanitize<T>(value: T): T {
  if (typeof value === "string") return head(plain(value), TEXT_CHARS) as T;
  if (Array.isArray(value)) return value.slice(0, LIST_ITEMS).map(sanitize) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, sanitize(part)])) as T;
}

/** Returns undefined when the run has no such iteration; 0 is the baseline. */
export async function iterationDetail(
  app: Context,
  run: Run,
  number: number,
): Promise<IterationDetail | undefined> {
  const iteration = number === 0 ? run.baseline : run.iterations.findLast((one) => one.number === number);
  if (!iteration) return undefined;
  await fetchLogs(app, run.id, number);
  const { agent, note, direction } = iteration;
  return sanitize({
    row: rowOf(iteration, run),
    prompt: iteration.prompt,
    ...(agent?.message && { message: agent.message }),
    ...(agent?.reason && { reason: agent.reason }),
    refused: agent?.refused ?? [],
    changes: iteration.snapshot?.changes ?? [],
    tampering: iteration.tampering?.changes ?? [],
    verdicts: iteration.verdicts,
    ...(note && { note }),
    approvals: iteration.approvals,
    ...(direction && { direction }),
    logs: logEntries(app, run, number),
  });
}
