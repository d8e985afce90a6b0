// About all runs and about this API: what has been learned, numbers, and the description.
import { modelsIn } from "#views/learned-view";
import { metrics } from "../http/metrics.ts";
import { json, text } from "../http/reply.ts";
import { route } from "../http/route.ts";

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

export const about = [
  route({
    method: "GET",
    path: "/model",
    summary: "What has been learned about when to stop, by project and agent",
    answers: { 200: "one entry for each" },
    handle: async ({ desk }) => json(modelsIn(await desk.app.store.lessons())),
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "Numbers over all runs, for Prometheus",
    type: "text/plain",
    answers: { 200: "the numbers" },
    handle: async ({ desk: { app, summaries, hub } }) =>
      text(metrics(await summaries.ofAll(await app.store.runs()), hub.count), PROMETHEUS),
  }),
  route({
    method: "GET",
    path: "/openapi.json",
    summary: "This description",
    answers: { 200: "OpenAPI 3.1" },
    handle: ({ desk }) => json(desk.description()),
  }),
];
