import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ending, stamp } from "#loop/stamp";
import { saveAddresses } from "#observers/notify/addresses";
import { deliverPending, notifier, retryPending } from "#observers/notify/notifier";
import { openOutbox } from "#observers/notify/outbox";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { homeFrom } from "#state/home";
import { inMemory } from "#stores/in-memory";
import { exampleTask } from "#testing/run";
import { foldAll } from "#views/run-view";
import { quickClock } from "../../../support/quick-clock.ts";
import { type Receiver, receiver } from "../../../support/receiver.ts";

const KEPT = "0123456789abcdef";
const ID = "told";
const NEVER = new AbortController().signal;

interface Setting {
  readonly app: Context;
  readonly run: Run;
  readonly warned: string[];
  /** Records how the run ends, as its driver does. */
  end(from: Run): Promise<readonly [RunEvent, Run]>;
}

/** A started run whose end is sent to the server. */
async function startedRun(server: Receiver, began = new Date()): Promise<Setting> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "converge-notify-"));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  const app: Context = { home: homeFrom({ CONVERGE_HOME: dir }), store: inMemory() };
  saveAddresses(app.home, { [KEPT]: server.url });
  const address = { host: "example", kept: KEPT };
  const task = exampleTask({
    notify: [{ type: "webhook", on: ["diverged", "stopped"], address, headers: {} }],
  });
  const moment = () => ({ time: began.toISOString(), elapsedMs: 0 });
  const body = { type: "run.started" as const, task, taskHash: "", dir, host: "here", version: "0" };
  const first = stamp({ id: ID, seq: 0 }, body, moment());
  await app.store.append(ID, 0, [first]);
  const run = foldAll([first]) as Run;
  const end = async (from: Run) => {
    const event = stamp(from, ending(from, "diverged", "no progress"), moment());
    await app.store.append(ID, from.seq, [event]);
    return [event, foldAll(await app.store.read(ID)) as Run] as const;
  };
  return { app, run, warned: [], end };
}

const ids = ({ received }: Receiver) => received.map(({ headers }) => headers["converge-delivery"]);

it("sends without delaying the run, and empties the outbox after delivery", async () => {
  const server = await receiver();
  const { app, run, end } = await startedRun(server);
  const warned: string[] = [];
  const observer = notifier(app, run, { warn: (text) => warned.push(text) });
  expect(openOutbox(app.home).runs()).toEqual([ID]);
  expect(observer.saw(...(await end(run)))).toBeUndefined();
  await observer.close?.();
  expect(ids(server)).toEqual([`${ID}-2-0`]);
  expect([openOutbox(app.home).runs(), warned]).toEqual([[], []]);
  // A later driver does not send the old end again.
  const later = notifier(app, foldAll(await app.store.read(ID)) as Run, { warn: () => {} });
  await later.close?.();
  expect(ids(server)).toHaveLength(1);
});

it("does not wait for a receiver that hangs, and the next process delivers once with the same id", async () => {
  const server = await receiver({ hangs: true });
  const { app, run, end } = await startedRun(server);
  const warned: string[] = [];
  const observer = notifier(app, run, { warn: (text) => warned.push(text), graceMs: 50 });
  observer.saw(...(await end(run)));
  await observer.close?.();
  expect(warned).toEqual([
    "notify: webhook example: no answer yet; retried with the next run. Retry now with: converge notify --retry",
  ]);
  server.answer({});
  const [first] = await deliverPending(app, { warn: () => {}, signal: NEVER });
  expect(first?.posted.ok).toBe(true);
  expect(new Set(ids(server))).toEqual(new Set([`${ID}-2-0`]));
  expect(await deliverPending(app, { warn: () => {}, signal: NEVER })).toEqual([]);
  expect(openOutbox(app.home).runs()).toEqual([]);
});

it("delivers an event that an earlier driver recorded before it died", async () => {
  const server = await receiver();
  const { app, run, end } = await startedRun(server);
  openOutbox(app.home).begin(run);
  const [, ended] = await end(run);
  const observer = notifier(app, ended, { warn: () => {} });
  await observer.close?.();
  expect(ids(server)).toEqual([`${ID}-2-0`]);
  expect(server.bodies()[0]).toMatchObject({ event: "diverged", reason: "no progress" });
});

it("delivers pending notices when a server starts", async () => {
  const server = await receiver();
  const { app, run, end } = await startedRun(server);
  openOutbox(app.home).begin(run);
  await end(run);
  const stop = retryPending(app, () => {});
  await expect.poll(() => ids(server)).toEqual([`${ID}-2-0`]);
  stop();
});

it("resends only the messages that are not settled", async () => {
  const server = await receiver();
  const { app, run, end } = await startedRun(server);
  const outbox = openOutbox(app.home);
  outbox.begin(run);
  const [, once] = await end(run);
  await end(once);
  outbox.settle(ID, `${ID}-2-0`, "delivered");
  await deliverPending(app, { warn: () => {}, signal: NEVER });
  expect(ids(server)).toEqual([`${ID}-3-0`]);
});

it("warns once about rejected and week-old notices and never resends them", async () => {
  const refusing = await receiver({ status: 400 });
  const old = await startedRun(refusing, new Date(Date.now() - 8 * 24 * 3_600_000));
  const young = await startedRun(refusing);
  for (const { app, run, end } of [old, young]) {
    openOutbox(app.home).begin(run);
    await end(run);
    await deliverPending(app, { warn: (text) => old.warned.push(text), clock: quickClock(), signal: NEVER });
    expect(openOutbox(app.home).runs()).toEqual([]);
  }
  expect(refusing.received).toHaveLength(1);
  expect(old.warned).toEqual([
    "notify: webhook example: not delivered within a week; not retried",
    "notify: webhook example: answered 400; not retried",
  ]);
});
