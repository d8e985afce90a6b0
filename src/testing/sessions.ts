// Conformance suite for session loops. Runs with any test runner that has describe, it and expect.
import fs from "node:fs";
import path from "node:path";
import type { SessionKey, SessionLoop, Sessions, TurnAnswer } from "#spec/session";
import type { TestApi } from "./api.ts";

/** A Sessions implementation and an empty folder. `again` opens it as after a restart. */
export interface SessionsExample {
  readonly dir: string;
  readonly sessions: Sessions;
  again(): Sessions;
}

const TASK = "Count $& to {{three}}:\n---\n`one` \\ \"two\" '$HOME'";
const PROMISED = "I have counted.\n\n<promise>done</promise>";
const KEY: SessionKey = { host: "example", session: "one" };

function isGoOn(answer: TurnAnswer): answer is Extract<TurnAnswer, { type: "go-on" }> {
  return answer.type === "go-on";
}

interface LoopOptions {
  readonly gates?: string[];
  readonly maxIterations?: number;
  readonly promise?: string;
}

interface StartedLoop extends SessionsExample {
  readonly loop: SessionLoop;
  /** Reports a turn; `of` is the implementation after a restart. */
  turn(iteration: number, message: string, of?: Sessions): Promise<TurnAnswer>;
}

interface Suite extends Pick<TestApi, "it" | "expect"> {
  startLoop(options?: LoopOptions): Promise<StartedLoop>;
}

/** The promise and the limit. */
function testPromise({ it, expect, startLoop }: Suite): void {
  it("starts with the task word for word and the promise that ends it", async () => {
    const { loop } = await startLoop({ maxIterations: 5 });
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

  it("continues until the promise is given", async () => {
    const { turn } = await startLoop();
    const first = await turn(1, "One.");
    expect(isGoOn(first) && first.loop.iteration).toEqual(2);
    expect(isGoOn(first) && first.loop.words.includes(TASK)).toEqual(true);
    expect((await turn(2, "I must not output <promise>DONE</promise> yet.")).type).toEqual("go-on");
    const last = await turn(3, PROMISED);
    expect(last.type === "ended" && last.outcome).toEqual("converged");
  });

  it("ends at the last iteration with a reason", async () => {
    const { turn } = await startLoop({ maxIterations: 2 });
    expect((await turn(1, "One.")).type).toEqual("go-on");
    const last = await turn(2, "Two of them.");
    expect(last.type === "ended" && [last.outcome, last.reason.includes("2 iterations")]).toEqual([
      "diverged",
      true,
    ]);
  });

  it("accepts the promise only when the gates pass", async () => {
    const { dir, turn } = await startLoop({ gates: ["test -e counted"] });
    const refused = await turn(1, PROMISED);
    expect(isGoOn(refused) && refused.loop.words.includes("test -e counted")).toEqual(true);
    fs.writeFileSync(path.join(dir, "counted"), "");
    const unsaid = await turn(2, "Counted.");
    expect(unsaid.type).toEqual("go-on");
    const last = await turn(3, PROMISED);
    expect(last.type === "ended" && last.outcome).toEqual("converged");
  });
}

/** Other reasons to end a loop. */
function testOtherEnds({ it, expect, startLoop }: Suite): void {
  it("ends when it is cancelled", async () => {
    const { turn, sessions } = await startLoop();
    expect((await sessions.cancel(KEY, "enough"))?.iteration).toEqual(1);
    expect(await sessions.find(KEY)).toEqual(undefined);
    expect((await turn(1, "One.")).type).toEqual("none");
    expect(await sessions.cancel(KEY, "enough")).toEqual(undefined);
  });

  it("ends when a turn has no output", async () => {
    const { turn } = await startLoop();
    const last = await turn(1, " \n");
    expect(last.type === "ended" && [last.outcome, last.reason.includes("no output")]).toEqual([
      "diverged",
      true,
    ]);
  });
}

/** Turns that are repeated, fail or come after a restart. */
function testTurns({ it, expect, startLoop }: Suite): void {
  it("handles each turn once, however often it is reported", async () => {
    const { turn, sessions } = await startLoop();
    const answers = await Promise.all([turn(1, "One."), turn(1, "One."), turn(1, "One.")]);
    expect(answers.map(({ type }) => type).sort()).toEqual(["go-on", "none", "none"]);
    expect((await turn(1, "One.")).type).toEqual("none");
    expect((await sessions.find(KEY))?.iteration).toEqual(2);
  });

  it("continues after a restart", async () => {
    const { turn, again } = await startLoop();
    await turn(1, "One.");
    const later = again();
    expect((await later.find(KEY))?.iteration).toEqual(2);
    const last = await turn(2, PROMISED, later);
    expect(last.type === "ended" && last.outcome).toEqual("converged");
    expect(await later.find(KEY)).toEqual(undefined);
  });

  it("retries an iteration later when its turn fails", async () => {
    const { sessions, turn } = await startLoop();
    const broken = await sessions.turn(KEY, {
      iteration: 1,
      message: "",
      error: "the model is overloaded",
    });
    expect(broken.type === "later" && [broken.loop.iteration, broken.until > broken.loop.startedAt]).toEqual([
      1,
      true,
    ]);
    const next = await turn(1, "One.");
    expect(isGoOn(next) && next.loop.iteration).toEqual(2);
  });
}

/** Several sessions, and several loops of one session. */
function testSeveralSessions({ it, expect, startLoop }: Suite): void {
  it("keeps the turns of sessions apart, even in one folder", async () => {
    const { dir, sessions, turn } = await startLoop();
    const other = { host: "example", session: "two" };
    expect(await sessions.find(other)).toEqual(undefined);
    expect((await sessions.turn(other, { iteration: 1, message: PROMISED })).type).toEqual("none");
    await sessions.start(other, { prompt: "Something else.", dir });
    await Promise.all([turn(1, "One."), sessions.turn(other, { iteration: 1, message: PROMISED })]);
    expect([(await sessions.find(KEY))?.iteration, await sessions.find(other)]).toEqual([2, undefined]);
  });

  it("replaces a loop by a new one, and keeps the old one when the new one is invalid", async () => {
    const { dir, sessions, loop } = await startLoop();
    const bad = sessions.start(KEY, { prompt: "Again.", dir, maxIterations: 0 }).catch((error) => error.name);
    expect([await bad, (await sessions.find(KEY))?.run]).toEqual(["ConfigError", loop.run]);
    const second = await sessions.start(KEY, { prompt: "Again.", dir });
    expect((await sessions.find(KEY))?.run).toEqual(second.run);
  });

  it("stores the host's mark, and lists the sessions of a host", async () => {
    const { dir, sessions } = await startLoop();
    const markOf = (loop: SessionLoop | undefined) => loop?.mark;
    await sessions.start(KEY, { prompt: "Mark.", dir, mark: 7 });
    expect(markOf(await sessions.find(KEY))).toEqual(7);
    await sessions.turn(KEY, { iteration: 1, message: "One.", mark: 11 });
    expect(markOf(await sessions.find(KEY))).toEqual(11);
    expect(await sessions.list("example")).toEqual([KEY]);
    expect(await sessions.list("another")).toEqual([]);
    expect(await sessions.list("example", dir)).toEqual([KEY]);
    expect(await sessions.list("example", path.join(dir, "other"))).toEqual([]);
  });
}

export function sessionsConformance(
  name: string,
  example: () => SessionsExample,
  { describe, it, expect }: TestApi,
): void {
  const suite: Suite = {
    it,
    expect,
    startLoop: async (options = {}) => {
      const fixture = example();
      const loop = await fixture.sessions.start(KEY, { prompt: TASK, dir: fixture.dir, ...options });
      const turn: StartedLoop["turn"] = (iteration, message, of = fixture.sessions) =>
        of.turn(KEY, { iteration, message });
      return { ...fixture, loop, turn };
    },
  };

  describe(`${name} conforms to the session loop contract`, () => {
    testPromise(suite);
    testOtherEnds(suite);
    testTurns(suite);
    testSeveralSessions(suite);
  });
}
