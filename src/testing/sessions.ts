// What every keeper of session loops must keep to; run it against your own with any test runner that has describe, it and expect.
import fs from "node:fs";
import path from "node:path";
import type { SessionKey, SessionLoop, Sessions, TurnAnswer } from "#spec/session";
import type { TestApi } from "./api.ts";

/** A keeper, and an empty folder for sessions to work in. `again` is the keeper as it is after a restart. */
export interface SessionsExample {
  readonly dir: string;
  readonly sessions: Sessions;
  again(): Sessions;
}

const TASK = "Count $& to {{three}}:\n---\n`one` \\ \"two\" '$HOME'";
const PROMISED = "I have counted.\n\n<promise>done</promise>";
const KEY: SessionKey = { host: "example", session: "one" };

function isGoing(answer: TurnAnswer): answer is Extract<TurnAnswer, { type: "go-on" }> {
  return answer.type === "go-on";
}

export function sessionsConformance(
  name: string,
  example: () => SessionsExample,
  { describe, it, expect }: TestApi,
): void {
  const started = async (wish: { gates?: string[]; maxIterations?: number; promise?: string } = {}) => {
    const made = example();
    const loop = await made.sessions.start(KEY, { prompt: TASK, dir: made.dir, ...wish });
    const turn = (iteration: number, message: string, of: Sessions = made.sessions) =>
      of.turn(KEY, { iteration, message });
    return { ...made, loop, turn };
  };

  describe(`${name} keeps the contract of session loops`, () => {
    it("begins with the task, told word for word, and the words that end it", async () => {
      const { loop } = await started({ maxIterations: 5 });
      expect({ iteration: loop.iteration, max: loop.maxIterations, promise: loop.promise }).toEqual({
        iteration: 1,
        max: 5,
        promise: "DONE",
      });
      expect(loop.prompt).toEqual(TASK);
      expect(loop.words.includes(TASK)).toEqual(true);
      expect(loop.words.includes("iteration 1 of at most 5")).toEqual(true);
      expect(loop.words.includes("<promise>DONE</promise>")).toEqual(true);
    });

    it("goes on until the promise is given", async () => {
      const { turn } = await started();
      const first = await turn(1, "One.");
      expect(isGoing(first) && first.loop.iteration).toEqual(2);
      expect(isGoing(first) && first.loop.words.includes(TASK)).toEqual(true);
      expect((await turn(2, "I must not output <promise>DONE</promise> yet.")).type).toEqual("go-on");
      const last = await turn(3, PROMISED);
      expect(last.type === "ended" && last.outcome).toEqual("converged");
    });

    it("ends at the last iteration, and says why", async () => {
      const { turn } = await started({ maxIterations: 2 });
      expect((await turn(1, "One.")).type).toEqual("go-on");
      const last = await turn(2, "Two of them.");
      expect(last.type === "ended" && [last.outcome, last.reason.includes("2 iterations")]).toEqual([
        "diverged",
        true,
      ]);
    });

    it("believes the promise only when the gates pass", async () => {
      const { dir, turn } = await started({ gates: ["test -e counted"] });
      const refused = await turn(1, PROMISED);
      expect(isGoing(refused) && refused.loop.words.includes("test -e counted")).toEqual(true);
      fs.writeFileSync(path.join(dir, "counted"), "");
      const unsaid = await turn(2, "Counted.");
      expect(unsaid.type).toEqual("go-on");
      const last = await turn(3, PROMISED);
      expect(last.type === "ended" && last.outcome).toEqual("converged");
    });

    it("hears each turn once, however many speak of it", async () => {
      const { turn, sessions } = await started();
      const answers = await Promise.all([turn(1, "One."), turn(1, "One."), turn(1, "One.")]);
      expect(answers.map(({ type }) => type).sort()).toEqual(["go-on", "none", "none"]);
      expect((await turn(1, "One.")).type).toEqual("none");
      expect((await sessions.find(KEY))?.iteration).toEqual(2);
    });

    it("goes on after a restart where it was", async () => {
      const { turn, again } = await started();
      await turn(1, "One.");
      const later = again();
      expect((await later.find(KEY))?.iteration).toEqual(2);
      const last = await turn(2, PROMISED, later);
      expect(last.type === "ended" && last.outcome).toEqual("converged");
      expect(await later.find(KEY)).toEqual(undefined);
    });

    it("never lets one session take another one's turn, also in one folder", async () => {
      const { dir, sessions, turn } = await started();
      const other = { host: "example", session: "two" };
      expect(await sessions.find(other)).toEqual(undefined);
      expect((await sessions.turn(other, { iteration: 1, message: PROMISED })).type).toEqual("none");
      await sessions.start(other, { prompt: "Something else.", dir });
      await Promise.all([turn(1, "One."), sessions.turn(other, { iteration: 1, message: PROMISED })]);
      expect([(await sessions.find(KEY))?.iteration, await sessions.find(other)]).toEqual([2, undefined]);
    });

    it("is over once it is cancelled", async () => {
      const { turn, sessions } = await started();
      expect((await sessions.cancel(KEY, "enough"))?.iteration).toEqual(1);
      expect(await sessions.find(KEY)).toEqual(undefined);
      expect((await turn(1, "One.")).type).toEqual("none");
      expect(await sessions.cancel(KEY, "enough")).toEqual(undefined);
    });

    it("tries an iteration again whose turn broke off, later", async () => {
      const { sessions, turn } = await started();
      const broken = await sessions.turn(KEY, {
        iteration: 1,
        message: "",
        error: "the model is overloaded",
      });
      expect(
        broken.type === "later" && [broken.loop.iteration, broken.until > broken.loop.startedAt],
      ).toEqual([1, true]);
      const next = await turn(1, "One.");
      expect(isGoing(next) && next.loop.iteration).toEqual(2);
    });

    it("ends when a turn says nothing", async () => {
      const { turn } = await started();
      const last = await turn(1, " \n");
      expect(last.type === "ended" && [last.outcome, last.reason.includes("no output")]).toEqual([
        "diverged",
        true,
      ]);
    });

    it("takes a new wish in place of the old one, and keeps the old one when the new one is no good", async () => {
      const { dir, sessions, loop } = await started();
      const bad = sessions
        .start(KEY, { prompt: "Again.", dir, maxIterations: 0 })
        .catch((error) => error.name);
      expect([await bad, (await sessions.find(KEY))?.run]).toEqual(["ConfigError", loop.run]);
      const second = await sessions.start(KEY, { prompt: "Again.", dir });
      expect((await sessions.find(KEY))?.run).toEqual(second.run);
    });

    it("remembers what the host counts, and lists its sessions", async () => {
      const { dir, sessions } = await started();
      const marked = (found: SessionLoop | undefined) => found?.mark;
      await sessions.start(KEY, { prompt: "Mark.", dir, mark: 7 });
      expect(marked(await sessions.find(KEY))).toEqual(7);
      await sessions.turn(KEY, { iteration: 1, message: "One.", mark: 11 });
      expect(marked(await sessions.find(KEY))).toEqual(11);
      expect(await sessions.list("example")).toEqual([KEY]);
      expect(await sessions.list("another")).toEqual([]);
      expect(await sessions.list("example", dir)).toEqual([KEY]);
      expect(await sessions.list("example", path.join(dir, "elsewhere"))).toEqual([]);
    });
  });
}
