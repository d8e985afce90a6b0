// Looking at runs.
import * as z from "zod";
import { diffRun } from "#runs/snapshots";
import type { StateWord } from "#spec/overview";
import { plain } from "#text/plain-text";
import { iterationDetail } from "#views/iteration-detail";
import { listRuns } from "#views/list-runs";
import { logPiece } from "#views/log-page";
import { overviewOf } from "#views/overview";
import { viewOfRun } from "#views/run-view";
import { NotFound, runOf } from "../http/find-run.ts";
import { json } from "../http/reply.ts";
import { route } from "../http/route.ts";
import { ofIteration, ofRun, whole } from "./shapes.ts";

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

/** Cut where a line ends. */
function bounded(diff: string): { diff: string; truncated: boolean } {
  if (diff.length <= DIFF_CHARS) return { diff, truncated: false };
  return { diff: diff.slice(0, diff.lastIndexOf("\n", DIFF_CHARS) + 1), truncated: true };
}

export const runs = [
  route({
    method: "GET",
    path: "/runs",
    summary: "The runs, newest first",
    query: z.strictObject({
      state: states.optional(),
      q: z.string().max(TEXT_CHARS).optional(),
      workspace: z
        .string()
        .max(TEXT_CHARS * 4)
        .optional(),
      limit: whole(1, 500).default(50),
      cursor: z.string().max(TEXT_CHARS).optional(),
    }),
    refused: 400,
    answers: { 200: "runs, how many there are, and where the next page begins" },
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
    summary: "One run on one page; with `after`, rows and spans from that iteration on",
    params: ofRun,
    query: z.strictObject({ after: whole(0, 1e9).default(0) }),
    answers: { 200: "the run" },
    handle: async ({ desk, params, query }) => {
      const { run, events } = await runOf(desk, params.id);
      return json(overviewOf(await viewOfRun(desk.app, run), events, query.after));
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/events",
    summary: "The events of a run, a page at a time",
    params: ofRun,
    query: z.strictObject({ after: whole(0, 1e15).default(0), limit: whole(1, 5_000).default(500) }),
    answers: { 200: "events, and where the next page begins" },
    handle: async ({ desk, params, query: { after, limit } }) => {
      const { events } = await runOf(desk, params.id);
      const page = events.slice(after, after + limit);
      return json({ events: page, ...(after + limit < events.length && { next: after + limit }) });
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/iterations/{n}",
    summary: "All there is to read of one iteration; 0 is the baseline",
    params: ofIteration,
    answers: { 200: "the iteration" },
    handle: async ({ desk, params: { id, n } }) => {
      const { run } = await runOf(desk, id);
      const detail = await iterationDetail(desk.app, run, n);
      if (detail) return json(detail);
      throw new NotFound(`run ${id} has ${run.iterations.length} iterations; there is no iteration ${n}`);
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/iterations/{n}/log",
    summary: "A piece of a log, as bytes from a place on; negative: from the end",
    params: ofIteration,
    query: z.strictObject({
      part: z.string().max(TEXT_CHARS).default("agent"),
      stream: z.enum(["transcript", "stdout", "stderr"]).default("stdout"),
      from: whole(-1e15, 1e15).default(0),
      bytes: whole(1, LOG_BYTES).default(65_536),
    }),
    refused: 404,
    answers: { 200: "text, its place, and the size of the log" },
    handle: async ({ desk, params: { id, n }, query }) => {
      const { run } = await runOf(desk, id);
      return json(await logPiece(desk.app, run, { iteration: n, ...query }));
    },
  }),
  route({
    method: "GET",
    path: "/runs/{id}/diff",
    summary: "What lies between two snapshots, what one iteration did, or what the whole run did",
    params: ofRun,
    query: z.strictObject({ from: snapshotName.optional(), to: snapshotName.optional() }),
    refused: 404,
    answers: { 200: "the diff, and whether it was cut" },
    handle: async ({ desk, params: { id }, query: { from, to } }) => {
      await runOf(desk, id);
      return json(bounded(plain(await diffRun(desk.app, id, from, to))));
    },
  }),
];
