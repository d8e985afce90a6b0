// Routes that read runs: list, overview, events, iterations, logs, diffs.
import * as z from "zod";
import { diffRun } from "#runs/snapshots";
import type { StateWord } from "#spec/overview";
import { plain } from "#text/plain-text";
import { iterationDetail } from "#views/iteration-detail";
import { listRuns } from "#views/list-runs";
import { logPiece } from "#views/log-page";
import { overviewOf } from "#views/overview";
import { viewOfRun } from "#views/run-view";
import { findRun, NotFound } from "../http/find-run.ts";
import { json } from "../http/reply.ts";
import { route } from "../http/route.ts";
import { intParam, iterationParams, runParams } from "./shapes.ts";

const DIFF_CHARS = 2_000_000;
const LOG_BYTES = 1_048_576;
const TEXT_CHARS = 1_000;

const STATES = [
  ...["running", "paused", "waiting", "away", "queued", "interrupted", "tampered"],
  ...["converged", "diverged", "stopped", "blocked", "error"],
] as [StateWord, ...StateWord[]];

const states = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(STATES)));

const snapshotName = z.string().min(1).max(64);

/** Cuts a diff at a line break. */
function truncateDiff(diff: string): { diff: string; truncated: boolean } {
  if (diff.length <= DIFF_CHARS) return { diff, truncated: false };
  return { diff: diff.slice(0, diff.lastIndexOf("\n", DIFF_CHARS) + 1), truncated: true };
}

export const runs = [
  route({
    method: "GET",
    path: "/runs",
    summary: "Lists runs, newest first",
    query: z.strictObject({
      state: states.optional(),
      q: z.string().max(TEXT_CHARS).optional(),
      workspace: z
        .string()
        .max(TEXT_CHARS * 4)
        .optional(),
      limit: intParam(1, 500).default(50),
      cursor: z.string().max(TEXT_CHARS).optional(),
    }),
    refused: 400,
    answers: { 200: "the runs, their total number, and the cursor of the next page" },
    handle: async ({ desk, query: { state, q, workspace, limit, cursor } }) =>
      json(
        await listRuns(desk.app, desk.summaries, {
          ...(state && { states: state }),
          ...(q && { text: q }),
          ...(workspace && { workspace }),
          limit,
          ...(cursor && { cursor }),
        }),
      ),
  }),
  route({
    method: "GET",
    path: "/runs/{id}",
    summary: "Returns the overview of a run; with `after`, rows and spans from that iteration on",
    params: runParams,
    query: z.strictObject({ after: intParam(0, 1e9).default(0) }),
    answers: { 200: "the overview" },
    handle: async ({ desk, params, query }) => {
      const { run, events } = await findRun(desk, params.id);
      return json(overviewOf(await viewOfRun(desk.app, run), events, query.after));
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/events",
    summary: "Returns the events of a run, paginated",
    params: runParams,
    query: z.strictObject({ after: intParam(0, 1e15).default(0), limit: intParam(1, 5_000).default(500) }),
    answers: { 200: "the events, and the start of the next page" },
    handle: async ({ desk, params, query: { after, limit } }) => {
      const { events } = await findRun(desk, params.id);
      const page = events.slice(after, after + limit);
      return json({ events: page, ...(after + limit < events.length && { next: after + limit }) });
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/iterations/{n}",
    summary: "Returns all details of one iteration; 0 is the baseline",
    params: iterationParams,
    answers: { 200: "the iteration" },
    handle: async ({ desk, params: { id, n } }) => {
      const { run } = await findRun(desk, id);
      const detail = await iterationDetail(desk.app, run, n);
      if (detail) return json(detail);
      throw new NotFound(`run ${id} has ${run.iterations.length} iterations; there is no iteration ${n}`);
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/iterations/{n}/log",
    summary: "Returns a piece of a log from a byte offset; a negative offset counts from the end",
    params: iterationParams,
    query: z.strictObject({
      part: z.string().max(TEXT_CHARS).default("agent"),
      stream: z.enum(["transcript", "stdout", "stderr"]).default("stdout"),
      from: intParam(-1e15, 1e15).default(0),
      bytes: intParam(1, LOG_BYTES).default(65_536),
    }),
    refused: 404,
    answers: { 200: "the text, its offset, and the size of the log" },
    handle: async ({ desk, params: { id, n }, query }) => {
      const { run } = await findRun(desk, id);
      return json(await logPiece(desk.app, run, { iteration: n, ...query }));
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/diff",
    summary: "Returns the diff between two snapshots, of one iteration, or of the whole run",
    params: runParams,
    query: z.strictObject({ from: snapshotName.optional(), to: snapshotName.optional() }),
    refused: 404,
    answers: { 200: "the diff, and whether it was truncated" },
    handle: async ({ desk, params: { id }, query: { from, to } }) => {
      await findRun(desk, id);
      return json(truncateDiff(plain(await diffRun(desk.app, id, from, to))));
    },
  }),
];
