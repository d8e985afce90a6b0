import fs from "node:fs";
import { describe, expect, it } from "vitest";
import type { SessionLoop, Turn, TurnAnswer } from "#spec/session";
import { beside, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, type Started, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const key = { host: "example", session: "one" };
const DONE = "<promise>DONE</promise>";

/** The hook calls of a program that cannot load the SDK. */
function callsIn(box: Sandbox) {
  const begin = (call: object): Started => box.start(["hook", "session"], {}, JSON.stringify(call));
  const call = async <T>(asked: object): Promise<T> => {
    const { stdout, stderr } = await begin(asked).answer;
    const { value, error } = JSON.parse(stdout) as { value: T; error?: { message: string } };
    expect([error, stderr]).toEqual([undefined, ""]);
    return value;
  };
  return {
    begin,
    start: (wish: object) => call<SessionLoop>({ call: "start", key, wish: { dir: box.dir, ...wish } }),
    find: () => call<SessionLoop | undefined>({ call: "find", key }),
    turn: (turn: Turn) => call<TurnAnswer>({ call: "turn", key, turn }),
  };
}

describe("the run of a session loop", () => {
  it("works with ls, show, watch, diff and steer, and refuses a resume outside its session", async () => {
    const box = sandbox();
    const { start, turn } = callsIn(box);
    box.write({ "n.txt": "0\n" });
    const { run } = await start({ prompt: "Count to one.", gates: ["grep 1 n.txt"] });

    const watch = box.start(["watch", run, "--json"]);
    expect((await box.converge("ls")).stdout).toMatch(new RegExp(`${run}.*away.*Count to one`));
    const shown = JSON.parse((await box.converge("show", run, "--json")).stdout);
    expect(shown).toMatchObject({ state: "away" });
    expect(await box.converge("resume", run)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /continues in its own session \(the example session works on iteration 1\)/,
      ),
    });
    expect((await box.converge("steer", run, "Mind", "the", "file.")).stdout).toContain(
      "the run reads it when the session's turn ends",
    );

    const second = await turn({ iteration: 1, message: DONE });
    expect(second).toMatchObject({ type: "go-on", loop: { run, iteration: 2 } });
    expect(second.type === "go-on" && second.loop.words).toMatch(/Mind the file\.[\s\S]*grep 1 n\.txt/);
    box.write({ "n.txt": "1\n" });
    expect(await turn({ iteration: 2, message: DONE })).toMatchObject({
      type: "ended",
      outcome: "converged",
    });

    // watch printed every event to the end.
    const watched = await watch.answer;
    expect([watched.code, watched.events().map(({ seq }) => seq)]).toEqual([
      0,
      (await stored(box)).map(({ seq }) => seq),
    ]);
    expect(ofType(watched.events(), "agent.finished").map(({ result }) => result.message)).toEqual([
      DONE,
      DONE,
    ]);
    expect((await box.converge("diff", run)).stdout).toMatch(/-0\n\+1/);
    expect((await box.converge("show", run)).stdout).toContain("converged");
    expect((await box.converge("resume", run)).stderr).toContain("has converged");
  });

  it("refuses to resume a stopped run from a terminal and names its session", async () => {
    const box = sandbox();
    const { start, turn, find } = callsIn(box);
    const { run } = await start({ prompt: "Count." });
    expect((await box.converge("stop", run, "--reason", "enough")).code).toBe(0);
    expect((await find())?.ended).toMatchObject({ outcome: "stopped" });
    expect(await turn({ iteration: 1, message: "x" })).toMatchObject({ type: "ended", reason: "enough" });
    expect(await box.converge("resume", run)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the agent of this run is an interactive session of example"),
    });
  });

  it("continues with the next turn after a kill during a gate, without lost or duplicate events", async () => {
    const box = sandbox();
    const out = beside(box);
    const { begin, start, turn, find } = callsIn(box);
    const slow = `{ echo $$ >> ${out.place("gates")}; sleep 60 & echo $! >> ${out.place("gates")}; wait; }`;
    const gate = `test -e ${out.place("quick")} || ${slow}; test -e done`;
    await start({ prompt: "Count.", gates: [gate] });
    const killed = begin({ call: "turn", key, turn: { iteration: 1, message: "One.", mark: 4 } });
    await waitFor(() => out.lines("gates").length > 1);
    killed.child.kill("SIGKILL");
    await killed.answer;
    await waitFor(() => !out.lines("gates").map(Number).some(isAlive));
    expect(await find()).toMatchObject({ iteration: 1, mark: 4 });

    out.touch("quick");
    box.write({ done: "" });
    expect(await turn({ iteration: 1, message: "Are you there?", mark: 6 })).toMatchObject({
      type: "go-on",
      loop: { iteration: 2, mark: 6 },
    });
    expect(await turn({ iteration: 2, message: DONE })).toMatchObject({
      type: "ended",
      outcome: "converged",
    });
    const events = await stored(box);
    expect(ofType(events, "agent.finished").map(({ result }) => result.message)).toEqual(["One.", DONE]);
    expect(ofType(events, "gate.judged").map(({ verdict }) => verdict.status)).toEqual(["passed", "passed"]);
    expect(fs.readdirSync(`${box.home}/sessions`)).toEqual([]);
  });
});
