import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type SessionsOptions, sessions } from "#hooks/sessions/session-runs";
import { tell } from "#runs/tell";
import type { Command } from "#spec/command";
import { UsageError } from "#spec/errors";
import type { SessionWish } from "#spec/session";
import { acquireWorkspace } from "#state/acquire-run";
import { openContext } from "#state/context";
import { converge } from "../../../../src/index.ts";
import { folders, write } from "../../../support/folders.ts";
import { waitFor } from "../../../support/wait.ts";

const KEY = { host: "example", session: "one" };
const DONE = "<promise>DONE</promise>";

function opened(options: SessionsOptions = {}) {
  const { dir, files } = folders();
  const app = openContext({ CONVERGE_HOME: files, XDG_CONFIG_HOME: files });
  return { dir, files, app, keeper: sessions(app, options) };
}

async function started(wish: Partial<SessionWish> = {}, options: SessionsOptions = {}) {
  const place = opened(options);
  const loop = await place.keeper.start(KEY, { prompt: "Count.", dir: place.dir, ...wish });
  const say = (message: string, iteration = 1, mark?: number) =>
    place.keeper.turn(KEY, { iteration, message, ...(mark !== undefined && { mark }) });
  const command = (given: Command) => tell(place.app, { id: loop.run, command: given });
  const types = async () => (await place.app.store.read(loop.run)).map(({ type }) => type);
  return { ...place, loop, say, command, types };
}

describe("commands sent to the run of a session", () => {
  it("stop: exactly one of the next turns returns the end of the loop", async () => {
    const { keeper, say, command } = await started();
    await command({ type: "stop", reason: "enough" });
    const ended = { outcome: "stopped", reason: "enough" };
    expect((await keeper.find(KEY))?.ended).toEqual(ended);
    const answers = await Promise.all([say("One."), say("One."), say("One.")]);
    expect(answers.map(({ type }) => type).sort()).toEqual(["ended", "none", "none"]);
    expect(answers.find(({ type }) => type === "ended")).toMatchObject(ended);
    expect([await keeper.find(KEY), await say("One.")]).toEqual([undefined, { type: "none" }]);
  });

  it("stop: a stopped loop cannot be cancelled, and a new one can start", async () => {
    const { keeper, dir, command, loop } = await started();
    await command({ type: "stop", reason: "enough" });
    expect(await keeper.cancel(KEY, "me too")).toBeUndefined();
    expect(await keeper.find(KEY)).toBeUndefined();
    const again = await keeper.start(KEY, { prompt: "Again.", dir });
    expect(again.run).not.toBe(loop.run);
    expect((await keeper.find(KEY))?.ended).toBeUndefined();
  });

  it("steer: the next prompt contains the text", async () => {
    const { say, command } = await started();
    await command({ type: "steer", text: "Mind the zero." });
    expect(await say("One.")).toMatchObject({
      type: "go-on",
      loop: { iteration: 2, words: expect.stringContaining("Mind the zero.") },
    });
  });

  it("pause: the session rests, and its message counts when it continues", async () => {
    const { keeper, say, command, types } = await started({ mark: 5 });
    await command({ type: "pause" });
    expect(await say(DONE, 1, 9)).toMatchObject({ type: "rest", reason: "paused", loop: { iteration: 1 } });
    expect(await keeper.find(KEY)).toMatchObject({ iteration: 1, mark: 5 });
    expect(await say(`${DONE}\n\nAnything else?`, 1, 11)).toMatchObject({
      type: "ended",
      outcome: "converged",
    });
    expect((await types()).filter((type) => type === "agent.finished")).toHaveLength(1);
  });

  it("approve: the session rests until a person approves, and the next turn converges", async () => {
    const place = opened();
    write(place.dir, { "converge.yaml": "gates: [{name: seen, type: approval}]\n" });
    const { keeper, dir } = place;
    const { run, gates } = await keeper.start(KEY, { prompt: "Count.", dir });
    expect(gates).toEqual(["seen"]);
    const rest = await keeper.turn(KEY, { iteration: 1, message: DONE });
    expect(rest).toMatchObject({ type: "rest", reason: expect.stringContaining("seen") });
    expect((await keeper.turn(KEY, { iteration: 1, message: "Well?" })).type).toBe("rest");
    await tell(place.app, { id: run, command: { type: "approve", gate: "seen", by: "somebody" } });
    expect(await keeper.turn(KEY, { iteration: 1, message: "Well?" })).toMatchObject({
      type: "ended",
      outcome: "converged",
    });
  });
});

describe("the lock on a workspace", () => {
  it("makes two sessions run their gates one after the other", async () => {
    const place = opened();
    const { keeper, dir, files } = place;
    const ledger = path.join(files, "ledger");
    const gates = [`echo in >> ${ledger}; sleep 0.3; echo out >> ${ledger}; false`];
    const two = { host: "example", session: "two" };
    await keeper.start(KEY, { prompt: "Count.", dir, gates });
    await keeper.start(two, { prompt: "Count.", dir, gates });
    const again = sessions(place.app);
    const answers = await Promise.all([
      keeper.turn(KEY, { iteration: 1, message: "x" }),
      again.turn(two, { iteration: 1, message: "x" }),
    ]);
    expect(answers.map(({ type }) => type)).toEqual(["go-on", "go-on"]);
    expect(fs.readFileSync(ledger, "utf8")).toBe("in\nout\nin\nout\n");
  });

  it("is waited for while its holder has not recorded a run", async () => {
    const { app, dir, keeper } = opened();
    const { release } = await acquireWorkspace(app, { id: "beginner", dir });
    const starting = keeper.start(KEY, { prompt: "Count.", dir });
    let isFree = false;
    setTimeout(() => {
      isFree = true;
      void release();
    }, 1_000);
    expect(await starting).toMatchObject({ iteration: 1 });
    expect(isFree).toBe(true);
  });

  it("rejects a turn at once while another run holds it, and the loop stays", async () => {
    const { dir, files, keeper, loop, say } = await started();
    const go = path.join(files, "go");
    const other = converge(
      {
        prompt: "x",
        isolation: "off",
        agent: { type: "command", command: `touch ${go}-began; while ! [ -e ${go} ]; do sleep 0.05; done` },
        gates: ["test -e nothing"],
        limits: { iterations: 1 },
      },
      { cwd: dir, home: files },
    );
    await waitFor(() => fs.existsSync(`${go}-began`));
    const inUse = new RegExp(`is in use by run ${await other.id} .*converge stop`);
    for (const refused of [say("One."), keeper.start(KEY, { prompt: "Again.", dir })]) {
      const error = await refused.catch((thrown: unknown) => thrown);
      expect([error instanceof UsageError, (error as Error).message]).toEqual([
        true,
        expect.stringMatching(inUse),
      ]);
    }
    expect(await keeper.find(KEY)).toMatchObject({ run: loop.run, iteration: 1 });
    fs.writeFileSync(go, "");
    await other;
    expect(await say("One.")).toMatchObject({ type: "go-on", loop: { iteration: 2 } });
  });

  it("is released when a turn or a start fails halfway, and the loop stays", async () => {
    const { keeper, app, dir, files, loop, say, types } = await started();
    // Not even root can write state below a file.
    const broken = sessions({ ...app, home: { ...app.home, sessions: path.join(files, "converge.db") } });
    await expect(broken.turn(KEY, { iteration: 1, message: "One." })).rejects.toThrow("EEXIST");
    await expect(broken.start(KEY, { prompt: "Again.", dir })).rejects.toThrow("EEXIST");
    const shadows = path.join(files, "shadows");
    fs.renameSync(shadows, `${shadows}-away`);
    fs.writeFileSync(shadows, "in the way");
    await expect(keeper.start(KEY, { prompt: "Again.", dir })).rejects.toThrow("the loop could not begin");
    fs.rmSync(shadows);
    fs.renameSync(`${shadows}-away`, shadows);
    const ends = await Promise.all((await app.store.runs()).map(({ id }) => app.store.read(id)));
    expect(ends.map((events) => events.at(-1)?.type).sort()).toEqual([
      "agent.away",
      "run.ended",
      "run.ended",
    ]);
    expect((await keeper.find(KEY))?.run).toBe(loop.run);
    expect(await say("One.")).toMatchObject({ type: "go-on", loop: { iteration: 2 } });
    expect((await types()).filter((type) => type === "agent.finished")).toHaveLength(1);
  });
});

describe("turns that failed", () => {
  it("wait with exponential backoff, which a successful turn resets", async () => {
    const { keeper, say } = await started({}, { retryMs: 1_000 });
    const expectWait = async (ms: number, iteration: number) => {
      const before = Date.now();
      const answer = await keeper.turn(KEY, { iteration, message: "", error: "overloaded" });
      const until = answer.type === "later" ? Date.parse(answer.until) : 0;
      expect(answer).toMatchObject({ type: "later", loop: { iteration } });
      expect([until >= before + ms, until <= Date.now() + ms]).toEqual([true, true]);
    };
    await expectWait(1_000, 1);
    await expectWait(2_000, 1);
    expect((await say("One.")).type).toBe("go-on");
    await expectWait(1_000, 2);
  });
});

describe("warnings", () => {
  it("do not mention missing gates, because the promise ends the loop", async () => {
    const warnings: string[] = [];
    await started({}, { warn: (text) => void warnings.push(text) });
    expect(warnings).toEqual([]);
  });
});
