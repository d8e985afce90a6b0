import { describe, expect, it } from "vitest";
import type { Route } from "#server/http/route";
import { ROOT, ROUTES } from "#server/routes/table";
import { type Asking, type Served, served, store } from "../../support/served.ts";

const name = ({ method, path }: Route) => `${method} ${path}`;
const pathOf = ({ path }: Route) => ROOT + path.replace("{id}", "arun").replace("{n}", "1");

/** A server with one stored run. None of these requests may change anything. */
async function place(): Promise<Served> {
  const all = await served();
  await store(all.app.store, "arun", 1);
  return all;
}

function asking(
  route: Route,
  { token, server }: Served,
  more: Readonly<Record<string, string>> = {},
): Asking {
  return {
    method: route.method,
    headers: {
      host: `127.0.0.1:${server.port}`,
      authorization: `Bearer ${token}`,
      ...(route.method === "POST" && { "content-type": "application/json" }),
      ...more,
    },
    // Matches no schema, so that a request that passes the guard ends as 400 before it has an effect.
    ...(route.method === "POST" && { raw: '{"no such key":1}' }),
  };
}

const REFUSED_HEADERS: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
  ["another name (rebinding)", { host: "evil.example" }],
  ["our name at another port", { host: "127.0.0.1:1" }],
  ["a name that begins like ours", { host: "127.0.0.1.evil.example" }],
  ["an invalid name", { host: "-" }],
  ["another origin", { origin: "http://evil.example" }],
  ["origin null", { origin: "null" }],
  ["our name as origin at another port", { origin: "http://127.0.0.1:1" }],
  ["a page of another site", { "sec-fetch-site": "cross-site" }],
  ["a page of the same site", { "sec-fetch-site": "same-site" }],
];

const OWN: readonly ((port: number) => Readonly<Record<string, string>>)[] = [
  () => ({}),
  (port) => ({ host: `localhost:${port}` }),
  (port) => ({ host: `[::1]:${port}` }),
  (port) => ({ origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" }),
  () => ({ "sec-fetch-site": "none" }),
];

describe("every route", () => {
  it("rejects other host names, origins and sites, even with the token", async () => {
    const all = await place();
    const ends = [];
    for (const route of ROUTES)
      for (const [what, headers] of REFUSED_HEADERS)
        ends.push([name(route), what, (await all.raw(pathOf(route), asking(route, all, headers))).status]);
    expect(ends.filter(([, , status]) => status !== 403)).toEqual([]);
  });

  it("accepts same-origin requests to its own host name", async () => {
    const all = await place();
    for (const route of ROUTES)
      for (const headers of OWN) {
        const { status } = await all.raw(pathOf(route), asking(route, all, headers(all.server.port)));
        expect([name(route), headers(1), status]).toEqual([name(route), headers(1), expectedOf(route)]);
      }
  });

  it("requires the token, unless the route is open", async () => {
    const all = await place();
    const wrong = ["", "Bearer", "Bearer x", `Basic ${all.token}`, `Bearer ${all.token}x`, all.token];
    for (const route of ROUTES)
      for (const authorization of wrong) {
        const { status } = await all.raw(pathOf(route), asking(route, all, { authorization }));
        expect([name(route), status]).toEqual([name(route), route.open ? expectedOf(route) : 401]);
      }
    const cookie = { authorization: "", cookie: `a=b; converge=${all.token}` };
    const [list] = ROUTES.filter(({ path }) => path === "/runs");
    expect((await all.raw(`${ROOT}/runs`, asking(list as Route, all, cookie))).status).toBe(200);
    expect(
      (await all.raw(`${ROOT}/runs`, asking(list as Route, all, { authorization: "", cookie: "converge=x" })))
        .status,
    ).toBe(401);
  });

  it("accepts JSON only", async () => {
    const all = await place();
    const types = [
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/json-x",
    ];
    for (const route of ROUTES.filter(({ method }) => method === "POST"))
      for (const type of types) {
        const { status } = await all.raw(pathOf(route), asking(route, all, { "content-type": type }));
        expect([name(route), type, status]).toEqual([name(route), type, 415]);
      }
  });

  it("accepts its own methods only", async () => {
    const all = await place();
    for (const path of new Set(ROUTES.map(pathOf))) {
      const own = ROUTES.filter((route) => pathOf(route) === path);
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
        (one) => !own.some((route) => route.method === one),
      )) {
        const route = { ...(own[0] as Route), method: method as "GET" };
        const { status, headers } = await all.raw(path, asking(route, all));
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(headers.allow).toBe(own.map((one) => one.method).join(", "));
      }
    }
  });

  it("rejects bodies that are too large, not JSON, or do not match the schema", async () => {
    const all = await place();
    for (const route of ROUTES.filter(({ method }) => method === "POST")) {
      const postBody = async (raw: string, chunked = false) => {
        const headers = chunked ? { "transfer-encoding": "chunked" } : {};
        return (await all.raw(pathOf(route), { ...asking(route, all, headers), raw })).status;
      };
      expect([name(route), await postBody(`"${"x".repeat(1_100_000)}"`)]).toEqual([name(route), 413]);
      expect([name(route), await postBody(`"${"x".repeat(1_100_000)}"`, true)]).toEqual([name(route), 413]);
      expect([name(route), await postBody("{")]).toEqual([name(route), 400]);
      expect([name(route), await postBody("[]")]).toEqual([name(route), 400]);
    }
  });

  it("sends headers that forbid scripts, framing, caching and sharing", async () => {
    const all = await place();
    const targets = [...ROUTES.map((route) => [pathOf(route), asking(route, all)] as const)];
    for (const [target, how] of [
      ...targets,
      ["/", {}] as const,
      ["/nothing", {}] as const,
      [`${ROOT}/nothing`, {}] as const,
    ]) {
      const { headers } = await all.raw(target, how);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        // The page itself is revalidated each time; what it shows is never cached.
        "cache-control": target === "/" ? expect.stringMatching(/^no-(store|cache)$/) : "no-store",
      });
      expect(Object.keys(headers).filter((one) => one.startsWith("access-control"))).toEqual([]);
    }
  });

  it("is in the OpenAPI document, and nothing else is", async () => {
    const all = await place();
    const { json } = await all.ask("/openapi.json");
    const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(ROUTES.map(name).sort());
    expect(json.openapi).toBe("3.1.0");
    expect(json.paths["/health"].get.security).toEqual([]);
    expect(
      json.paths["/runs/{id}/decide"].post.requestBody.content["application/json"].schema.properties.choice
        .enum,
    ).toContain("rollback");
    expect(
      json.paths["/runs/{id}/iterations/{n}/log"].get.parameters.map((one: { name: string }) => one.name),
    ).toEqual(["id", "n", "part", "stream", "from", "bytes"]);
  });
});

/** The status of a valid request whose body matches no schema. */
function expectedOf({ method, path }: Route): number {
  if (method === "POST") return 400;
  if (method === "DELETE") return 204;
  // The stored run has no logs and no snapshots on disk.
  return path.endsWith("/log") ? 404 : path.endsWith("/diff") ? 404 : 200;
}

describe("the page", () => {
  it("can be opened from an external link, but not fetched or framed", async () => {
    const all = await served();
    const open = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await all.raw("/", { headers: open })).status).toBe(200);
    expect((await all.raw("/", { headers: { ...open, "sec-fetch-dest": "iframe" } })).status).toBe(403);
    expect((await all.raw("/", { headers: { ...open, "sec-fetch-mode": "no-cors" } })).status).toBe(403);
    expect((await all.raw(`${ROOT}/runs`, { headers: open })).status).toBe(403);
    expect((await all.raw("/", { method: "POST" })).status).toBe(405);
  });
});

describe("--allow-host", () => {
  it("accepts other host names, with or without TLS in front", async () => {
    const all = await served({ names: ["ci.example.org"] });
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (await all.raw(`${ROOT}/health`, { headers })).status;
    expect(await ask({ host: "ci.example.org", origin: "https://ci.example.org" })).toBe(200);
    expect(await ask({ host: "CI.example.org:8443" })).toBe(200);
    expect(await ask({ host: "ci.example.org", origin: "https://other.example.org" })).toBe(403);
    expect(await ask({ host: "other.example.org" })).toBe(403);
  });
});
