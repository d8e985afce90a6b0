// Coming in and leaving, and whether anybody is there.
import * as z from "zod";
import { VERSION } from "#system/version";
import { NO_COOKIE } from "../http/keys.ts";
import { json, problem } from "../http/reply.ts";
import { route } from "../http/route.ts";

const KEY_CHARS = 200;

export const session = [
  route({
    method: "GET",
    path: "/health",
    summary: "Whether the server answers, and its version",
    open: true,
    answers: { 200: "status and version" },
    handle: () => json({ status: "ok", version: VERSION }),
  }),
  route({
    method: "POST",
    path: "/session",
    summary: "Comes in with the key of the link; each is good once",
    open: true,
    body: z.strictObject({ key: z.string().min(1).max(KEY_CHARS) }),
    answers: { 204: "the cookie is set" },
    handle: ({ desk, body, request }) => {
      if (!desk.keys.use(body.key))
        return problem(
          401,
          "key-refused",
          "this link was used already or is too old; a new one is printed by `converge serve` when it starts",
        );
      const secure = request.headers.get("origin")?.startsWith("https:") ?? false;
      return new Response(null, { status: 204, headers: { "set-cookie": desk.keys.cookie(secure) } });
    },
  }),
  route({
    method: "DELETE",
    path: "/session",
    summary: "Leaves: the cookie is taken away",
    answers: { 204: "the cookie is gone" },
    handle: () => new Response(null, { status: 204, headers: { "set-cookie": NO_COOKIE } }),
  }),
  route({
    method: "POST",
    path: "/session/links",
    summary: "A new link, for another browser",
    body: z.strictObject({}),
    answers: { 201: "the link, good once and for a few minutes" },
    handle: ({ desk }) => json({ link: desk.link() }, 201),
  }),
];
