// Routes that stream server-sent events.
import * as z from "zod";
import { eventFeed, summaryFeed } from "../http/feeds.ts";
import { findRun } from "../http/find-run.ts";
import { route } from "../http/route.ts";
import { stream } from "../http/sse.ts";
import { intParam, runParams } from "./shapes.ts";

/** The Last-Event-ID of a reconnecting browser; undefined when it is not a sequence number. */
function lastEventId(request: Request): number | undefined {
  const id = request.headers.get("last-event-id") ?? "";
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

export const streams = [
  route({
    method: "GET",
    path: "/stream",
    summary: "Streams every new or changed run as its summary",
    type: "text/event-stream",
    answers: { 200: "`event: run`, data: a summary" },
    handle: ({ desk: { hub, summaries, pace }, outgoing }) =>
      stream(summaryFeed(summaries), { hub, pace, outgoing }),
  }),
  route({
    method: "GET",
    path: "/runs/{id}/stream",
    summary: "Streams the events of a run: first those after Last-Event-ID or `after`, then new ones",
    params: runParams,
    query: z.strictObject({ after: intParam(0, 1e15).default(0) }),
    type: "text/event-stream",
    answers: { 200: "`id: SEQ`, `event: event`, data: the event" },
    handle: async ({ desk, params: { id }, query, request, outgoing }) => {
      await findRun(desk, id);
      const after = lastEventId(request) ?? query.after;
      const { hub, pace, runCache } = desk;
      return stream(eventFeed(runCache, id, after), { hub, pace, outgoing });
    },
  }),
];
