// Looking on: streams of server-sent events.
import * as z from "zod";
import { eventFeed, summaryFeed } from "../http/feeds.ts";
import { runOf } from "../http/find-run.ts";
import { route } from "../http/route.ts";
import { stream } from "../http/sse.ts";
import { ofRun, whole } from "./shapes.ts";

/** What a browser says when it comes back; anything else is no place in a run. */
function lastSeen(request: Request): number | undefined {
  const id = request.headers.get("last-event-id") ?? "";
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

export const streams = [
  route({
    method: "GET",
    path: "/stream",
    summary: "Every run that changes or is new, as its row in the list",
    type: "text/event-stream",
    answers: { 200: "`event: run`, data: a row" },
    handle: ({ desk: { hub, summaries, pace }, outgoing }) =>
      stream(hub, summaryFeed(summaries), pace, outgoing),
  }),
  route({
    method: "GET",
    path: "/runs/{id}/stream",
    summary: "The events of a run, after Last-Event-ID or `after`, and as they come",
    params: ofRun,
    query: z.strictObject({ after: whole(0, 1e15).default(0) }),
    type: "text/event-stream",
    answers: { 200: "`id: SEQ`, `event: event`, data: the event" },
    handle: async ({ desk, params: { id }, query, request, outgoing }) => {
      await runOf(desk, id);
      const after = lastSeen(request) ?? query.after;
      return stream(desk.hub, eventFeed(desk.kept, id, after), desk.pace, outgoing);
    },
  }),
];
