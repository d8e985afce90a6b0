// About Converge itself: what has been learned.
import { modelsIn } from "#app/model-view";
import { json } from "../reply.ts";
import { route } from "../route.ts";

export const about = [
  route({
    method: "GET",
    path: "/model",
    summary: "What has been learned about when to stop, by project and agent",
    answers: { 200: "one entry for each" },
    handle: async ({ desk }) => json({ models: modelsIn(await desk.app.store.lessons()) }),
  }),
];
