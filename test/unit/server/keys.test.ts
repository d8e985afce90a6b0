import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keys } from "#server/http/keys";
import { homeFrom } from "#state/home";
import { loadOrCreateToken, readTokenFile, tokenFileIn } from "#state/server-token";
import { temporary } from "../../support/folders.ts";
import { served } from "../../support/served.ts";

const keyIn = (link: string) => link.split("#key=")[1] ?? "";

describe("a login link", () => {
  it("logs a browser in once, and the cookie keeps it logged in", async () => {
    const all = await served();
    const link = all.server.link();
    expect(link).toBe(`${all.server.url}/#key=${keyIn(link)}`);
    const enter = (key: string, headers = {}) =>
      all.raw("/api/v1/session", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: { key },
      });
    const { status, headers } = await enter(keyIn(link));
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(status).toBe(204);
    expect(cookie).toMatch(/^converge=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect((await enter(keyIn(link))).status).toBe(401);
    expect((await enter("x")).status).toBe(401);
    const ask = (method: string) =>
      all.raw("/api/v1/session", { method, headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect((await all.raw("/api/v1/runs", { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(
      200,
    );
    expect((await ask("DELETE")).headers["set-cookie"]).toEqual([
      expect.stringMatching(/^converge=; .*Max-Age=0$/),
    ]);
    const { json } = await all.ask("/session/links", { method: "POST", body: {} });
    expect((await enter(keyIn(json.link))).status).toBe(204);
    const host = "ci.example.org";
    const proxied = await served({ names: [host] });
    const secure = await proxied.raw("/api/v1/session", {
      method: "POST",
      headers: { host, origin: `https://${host}`, "content-type": "application/json" },
      body: { key: keyIn(proxied.server.link()) },
    });
    expect(secure.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  it("expires after ten minutes, and at most twenty are valid at a time", () => {
    let now = 0;
    const { issue, use } = keys("token", () => now);
    const [first, second] = [issue(), issue()];
    now = 10 * 60_000 - 1;
    expect(use(first)).toBe(true);
    now += 1;
    expect(use(second)).toBe(false);
    const many = Array.from({ length: 21 }, issue);
    expect([use(many[0] ?? ""), use(many[1] ?? "")]).toEqual([false, true]);
  });
});

describe("the token", () => {
  const home = () => homeFrom({ CONVERGE_HOME: temporary() });

  it("is created once in a private file and reused", () => {
    const place = home();
    const token = loadOrCreateToken(place);
    expect(Buffer.from(token, "base64url").length).toBe(16);
    expect(fs.statSync(tokenFileIn(place)).mode & 0o777).toBe(0o600);
    expect([loadOrCreateToken(place), loadOrCreateToken(home()) === token]).toEqual([token, false]);
    fs.writeFileSync(tokenFileIn(place), "short");
    expect(loadOrCreateToken(place)).not.toBe(token);
  });

  it("given by the user must be long and in a private file", () => {
    const file = path.join(temporary(), "token");
    expect(() => readTokenFile(file)).toThrow(/there is no file/);
    fs.writeFileSync(file, "a".repeat(32), { mode: 0o644 });
    expect(() => readTokenFile(file)).toThrow(/readable by other users.*chmod 600/);
    fs.chmodSync(file, 0o600);
    expect(readTokenFile(file)).toBe("a".repeat(32));
    fs.writeFileSync(file, "a\n");
    expect(() => readTokenFile(file)).toThrow(/at least 22 characters/);
  });
});
