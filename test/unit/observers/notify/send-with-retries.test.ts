import { createHmac, timingSafeEqual } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { findAddress, saveAddresses } from "#observers/notify/addresses";
import { sendWithRetries } from "#observers/notify/send-with-retries";
import type { Notice, Notify } from "#spec/notify";
import { homeFrom } from "#state/home";
import { uniqueRun } from "#testing/unique-run";
import { quickClock } from "../../../support/quick-clock.ts";
import { type Received, receiver } from "../../../support/receiver.ts";

const KEPT = "0123456789abcdef";
const RUN = uniqueRun();
const ID = `${RUN}-9-0`;
const SECRET = "Vq7xT2mK9pLw4Zs8";

function notice(parts: Partial<Notice> = {}): Notice {
  return {
    ...{ event: "converged", run: RUN, state: "converged", reason: "all gates pass", iterations: 3 },
    ...{ score: 1, cost: 0.5, title: "Make it so.", workspace: os.tmpdir() },
    time: "2026-01-01T00:00:00.000Z",
    ...parts,
  };
}

function folder(): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "converge-notify-"));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function variable(name: string, value: string): void {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Delivers to the URL; pauses take no time. */
async function deliverTo(url: string, to: Partial<Notify> = {}, sentNotice = notice(), tries = 6) {
  const home = homeFrom({ CONVERGE_HOME: folder() });
  saveAddresses(home, { [KEPT]: url });
  const address = { host: "example", kept: KEPT };
  const whole = { type: "webhook", on: [], headers: {}, address, ...to } as Notify;
  const clock = quickClock();
  const tools = { find: findAddress(home), files: home.dir, signal: new AbortController().signal };
  const posted = await sendWithRetries({ id: ID, to: whole, notice: sentNotice }, tools, { tries, clock });
  return { posted, slept: clock.slept, home };
}

/** Verifies the signature as a receiver would. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const [, given = ""] = /^v1=([0-9a-f]{64})$/.exec(String(headers["converge-signature"])) ?? [];
  const wanted = createHmac("sha256", secret).update(`${headers["converge-timestamp"]}.${body}`).digest();
  return timingSafeEqual(Buffer.from(given.padEnd(64, "0"), "hex"), wanted);
}

it("retries a failing receiver with the same id, exponential backoff and a signature each time", async () => {
  variable("HOOK_SECRET", SECRET);
  variable("HOOK_TOKEN", "Bearer of-good-news");
  const server = await receiver({ status: 503 }, { status: 500 }, { status: 204 });
  const headers = { "X-Team": "loop", Authorization: { env: "HOOK_TOKEN" } };
  const { posted, slept } = await deliverTo(`${server.url}/hook`, {
    type: "webhook",
    secretEnv: "HOOK_SECRET",
    headers,
  });
  expect(posted).toEqual({ ok: true, status: 204 });
  expect(server.received.map(({ headers: sent }) => sent["converge-delivery"])).toEqual(
    Array.from({ length: 3 }, () => ID),
  );
  expect(server.received.every((one) => isSigned(one, SECRET))).toBe(true);
  expect(server.received.some((one) => isSigned(one, "another"))).toBe(false);
  expect(slept).toHaveLength(2);
  const [first = 0, second = 0] = slept;
  expect([first >= 250 && first <= 500, second >= 500 && second <= 1000]).toEqual([true, true]);
  expect(server.received[2]).toMatchObject({
    path: "/hook",
    headers: {
      "content-type": "application/json",
      "converge-event": "converged",
      "x-team": "loop",
      authorization: "Bearer of-good-news",
    },
  });
  expect(server.bodies()[0]).toEqual({ id: ID, ...notice() });
});

it("honours Retry-After up to a limit", async () => {
  const patient = await receiver({ status: 429, headers: { "retry-after": "60" } }, {});
  const { posted, slept } = await deliverTo(patient.url);
  expect([posted.ok, slept]).toEqual([true, [60_000]]);
  const endless = await receiver({ status: 503, headers: { "retry-after": "86400" } });
  const left = await deliverTo(endless.url);
  expect(left).toMatchObject({ posted: { ok: false, why: "answered 503" }, slept: [] });
  expect(endless.received).toHaveLength(1);
});

it("does not retry a rejection, and does not follow a redirect", async () => {
  const elsewhere = await receiver();
  const refuses = await receiver({ status: 410 });
  const leads = await receiver({ status: 307, headers: { location: elsewhere.url } });
  expect((await deliverTo(refuses.url)).posted).toEqual({ ok: false, why: "answered 410", again: "never" });
  expect((await deliverTo(leads.url)).posted).toMatchObject({ again: "never" });
  expect([refuses, leads, elsewhere].map(({ received }) => received.length)).toEqual([1, 1, 0]);
});

it("retries a closed port up to the limit without showing the URL", async () => {
  const server = await receiver();
  await server.close();
  const { posted, slept } = await deliverTo(`${server.url}/secret-path`);
  expect(posted).toEqual({ ok: false, why: "ECONNREFUSED", again: "soon" });
  expect(slept).toHaveLength(5);
});

it("sends nothing while the variable with the signing secret is not set", async () => {
  const server = await receiver();
  const { posted } = await deliverTo(server.url, { type: "webhook", secretEnv: "HOOK_SECRET_NOT_SET" });
  expect(posted).toEqual({
    ok: false,
    why: "the variable HOOK_SECRET_NOT_SET is not set",
    again: "later",
  });
  expect(server.received).toEqual([]);
});

it("neutralizes mentions and links in text for Slack", async () => {
  const server = await receiver();
  variable("SLACK_URL", server.url);
  const reason =
    "<!channel> <https://evil.example|click> @here https://evil.example www.evil.example [a](b) & more";
  const to: Partial<Notify> = { type: "slack", address: { urlEnv: "SLACK_URL" } };
  await deliverTo("", to, notice({ event: "waiting", reason }));
  const [{ text, ...rest } = { text: "" }] = server.bodies<{ text: string }>();
  expect(text.split("\n")).toEqual([
    `Converge: run ${RUN} waits for you`,
    "Make it so.",
    "&lt;!channel&gt; &lt;https[:]//evil.example|click&gt; ＠here https[:]//evil.example www[.]evil.example [a] (b) &amp; more",
    `3 iterations, score 100%, $0.50, in ${os.tmpdir()}`,
  ]);
  expect(rest).toMatchObject({ parse: "none", link_names: false, unfurl_links: false });
});

it("passes a command the notice in its environment and on standard input, and keeps its output", async () => {
  const dir = folder();
  const command = `cat > ${dir}/stdin; echo "$CONVERGE_EVENT $CONVERGE_RUN_ID $CONVERGE_SCORE" > ${dir}/env`;
  const sentNotice = notice({ reason: "$(touch nothing); `id`" });
  expect((await deliverTo("", { type: "command", command }, sentNotice)).posted.ok).toBe(true);
  expect(JSON.parse(fs.readFileSync(`${dir}/stdin`, "utf8"))).toEqual({ id: ID, ...sentNotice });
  expect(fs.readFileSync(`${dir}/env`, "utf8")).toBe(`converged ${RUN} 1\n`);
  const failing = await deliverTo("", { type: "command", command: "echo oh no; exit 3" });
  const log = path.join(failing.home.dir, `${ID}.log`);
  expect(failing.posted).toEqual({ ok: false, why: `exit 3; its output is in ${log}`, again: "never" });
  expect(fs.readFileSync(log, "utf8")).toBe("oh no\n");
});

it("shows a desktop notification with notify-send and escapes markup in the body", async () => {
  const dir = folder();
  fs.writeFileSync(`${dir}/notify-send`, `#!/bin/sh\nprintf '%s\\n' "$@" > ${dir}/said\n`, { mode: 0o755 });
  variable("PATH", `${dir}:/usr/bin:/bin`);
  const sentNotice = notice({ reason: "<b>done</b> & dusted" });
  expect((await deliverTo("", { type: "desktop" }, sentNotice)).posted.ok).toBe(true);
  expect(fs.readFileSync(`${dir}/said`, "utf8").split("\n").slice(1, 4)).toEqual([
    "--",
    `Converge: run ${RUN} converged`,
    "Make it so.: &lt;b&gt;done&lt;/b&gt; &amp; dusted",
  ]);
  variable("PATH", "/nowhere");
  expect((await deliverTo("", { type: "desktop" })).posted).toMatchObject({ ok: false, again: "never" });
});
