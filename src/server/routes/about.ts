// Routes about all runs and the API itself: learned models, metrics, OpenAPI document.
import { modelsIn } from "#views/learned-view";
import { metrics } from "../http/metrics.ts";
import { json, text } from "../http/reply.ts";
import { route } from "../http/route.ts";

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

export const about = [
  route({
    method: "GET",
    path: "/model",
    summary: "Lists the learned stopping models by project and agent",
    answers: { 200: "one entry per project and agent" },
    handle: async ({ desk }) => json(modelsIn(await desk.app.store.lessons())),
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "Returns Prometheus metrics over all runs",
    type: "text/plain",
    answers: { 200: "the metrics" },
    handle: async ({ desk: { app, summaries, hub } }) =>
      text(metrics(await summaries.ofAll(await app.store.runs()), hub.count), PROMETHEUS),
  }),
  route({
    method: "GET",
    path: "/openapi.json",
    summary: "Returns this document",
    answers: { 200: "OpenAPI 3.1" },
    handle: ({ desk }) => json(desk.description()),
  }),
];
