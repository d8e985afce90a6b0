import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporary, write } from "../../support/folders.ts";
import { served, store } from "../../support/served.ts";

const SECRET = "must never be read over HTTP";

const step = fc.constantFrom(
  ...[
    "..",
    ".",
    "%2e%2e",
    "%2e",
    "..%2f",
    "%2f",
    "%5c",
    "\\",
    "%00",
    "%",
    "%c0%ae%c0%ae",
    "....",
    "//",
    "runs",
  ],
  ...[
    "arun",
    "0",
    "1",
    "agent",
    "server",
    "token",
    "converge.db",
    "index.html",
    "etc",
    "passwd",
    "assets",
    "link",
  ],
);

const target = fc
  .tuple(
    fc.constantFrom("/", "/assets/", "/api/v1/", "/api/v1/runs/", "/api/v1/runs/arun/iterations/"),
    fc.array(step, { maxLength: 8 }),
    fc.constantFrom("", "/log", "/stream", "/log?part=..%2f..%2fserver&stream=stdout", "?after=1"),
  )
  .map(([root, steps, end]) => root + steps.join("/") + end);

describe("path traversal", () => {
  it("reaches no file outside the page and the run", async () => {
    const pageDir = path.join(temporary(), "page");
    write(pageDir, { "index.html": "<!doctype html>", "assets/app.js": "let a;" });
    fs.writeFileSync(path.join(path.dirname(pageDir), "token"), SECRET);
    fs.symlinkSync(path.join(path.dirname(pageDir), "token"), path.join(pageDir, "link"));
    const all = await served({ pageDir });
    write(all.home, {
      "server/token": SECRET,
      "runs/token/stdout.log": SECRET,
      "runs/arun/1/server/stdout.log": SECRET,
    });
    await store(all.app.store, "arun", 1);
    const headers = { authorization: `Bearer ${all.token}` };
    await fc.assert(
      fc.asyncProperty(target, async (wanted) => {
        const { status, text } = await all.raw(wanted, { headers });
        expect([200, 400, 404]).toContain(status);
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain("root:");
      }),
      { numRuns: 150 },
    );
    expect(all.warnings).toEqual([]);
    expect((await all.raw("/")).headers["content-type"]).toBe("text/html; charset=utf-8");
    expect((await all.raw("/assets/app.js")).headers["cache-control"]).toMatch(/immutable/);
    expect((await all.raw("/link")).status).toBe(404);
  });

  it("does not serve a run with an unsafe id planted in the store", async () => {
    const all = await served();
    await store(all.app.store, "..", 1);
    for (const id of ["..", "%2e%2e", "%2e%2e%2f"])
      expect((await all.ask(`/runs/${id}/iterations/1/log`)).status).toBe(404);
  });
});
