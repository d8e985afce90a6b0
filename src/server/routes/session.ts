// Routes for login, logout and health.
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
    summary: "Checks that the server responds; returns its version",
    open: true,
    answers: { 200: "status and version" },
    handle: () => json({ status: "ok", version: VERSION }),
  }),
  route({
    method: "POST",
    path: "/session",
    summary: "Logs in with the single-use key of a link",
    open: true,
    body: z.strictObject({ key: z.string().min(1).max(KEY_CHARS) }),
    answers: { 204: "the cookie is set" },
    handle: ({ desk, body, request }) => {
      if (!desk.keys.use(body.key))
        return problem(
          401,
          "key-refused",
          "this link has been used or has expired. Restart `converge serve` for a new one",
        );
      const secure = request.headers.get("origin")?.startsWith("https:") ?? false;
      return new Response(null, { status: 204, headers: { "set-cookie": desk.keys.cookie(secure) } });
    },
  }),
  route({
    method: "DELETE",
    path: "/session",
    summary: "Logs out: deletes the cookie",
    answers: { 204: "the cookie is deleted" },
    handle: () => new Response(null, { status: 204, headers: { "set-cookie": NO_COOKIE } }),
  }),
  route({
    method: "POST",
    path: "/session/links",
    summary: "Creates a login link for another browser",
    body: z.strictObject({}),
    answers: { 201: "the link, which works once and expires after a few minutes" },
    handle: ({ desk }) => json({ link: desk.link() }, 201),
  }),
];
