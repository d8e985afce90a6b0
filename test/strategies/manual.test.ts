import { describe, expect, it } from "vitest";
import { converge, type Run } from "../../src/index.ts";
import { asked, ranIn, runTask } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

// Iteration 2 deletes one file and adds another, so that a rollback has something to do.
const agent = {
  type: "scripted",
  iterations: [
    [{ write: { n: "one", keep: "kept" } }],
    [{ write: { n: "two", keep: null, extra: "left over" } }],
    [{ run: 'printf "three after %s" "$(cat n)" > n' }],
  ],
};
const RED = { name: "red", command: "echo the gate is red; false" };
const manual = { agent, gates: [RED], strategy: "manual" };

interface Shown {
  readonly state: string;
  readonly driver: object | null;
  readonly run: Run;
}

/** Decides in a second process and resumes in a third. */
async function decideAndResume(box: Sandbox, ...choice: string[]) {
  const decided = await box.converge("decide", "last", ...choice);
  expect(decided).toMatchObject({ code: 0, stderr: "" });
  return ranIn(box, await box.converge("resume", "last", "--json"));
}

describe("manual: a person decides each iteration", () => {
  it("parks the run as waiting, exits 4 and leaves no process", async () => {
    const { box, events, ...ran } = await runTask(manual);
    expect(ran).toMatchObject({ code: 4, iterations: 1 });
    expect(ran.reason).toBe("waiting for a person to decide about iteration 1");
    expect(events.at(-1)?.type).toBe("run.parked");
    const [shown] = await asked<Shown>(box, "show", "last");
    expect(shown).toMatchObject({ state: "waiting", driver: null });
    const [listed] = await asked<object>(box, "ls");
    expect(listed).toMatchObject({ state: "waiting", reason: ran.reason });
  });

  it("a resume without a decision prints what to type, and the run keeps waiting", async () => {
    const { box, events } = await runTask(manual);
    const again = await box.converge("resume", "last");
    expect(again.code).toBe(4);
    expect(again.stderr).toContain(`converge decide ${events[0]?.run} continue`);
    expect(await box.events()).toHaveLength(events.length);
  });

  it("continue runs one more iteration and asks again", async () => {
    const { box } = await runTask(manual);
    const went = await decideAndResume(box, "continue");
    expect(went).toMatchObject({ code: 4, iterations: 1 });
    expect(went.decisions[0]).toMatchObject({
      continue: true,
      reason: "a person continued after iteration 1",
    });
    expect(went.reason).toBe("waiting for a person to decide about iteration 2");
    expect(box.read("n")).toBe("two");
  });

  it("continue with feedback adds it to the next prompt only", async () => {
    const { box } = await runTask(manual);
    const resumed = await decideAndResume(box, "continue", "--feedback", "Mind the $& edge.");
    expect(resumed.prompts[0]).toContain("Mind the $& edge.");
    const later = await decideAndResume(box, "continue");
    expect(later.prompts[0]).not.toContain("Mind the");
  });

  it("accept with red gates ends the run as partial, exit 6", async () => {
    const { box } = await runTask(manual);
    const accepted = await decideAndResume(box, "accept");
    expect(accepted).toMatchObject({ code: 6, outcome: "converged", partial: true, iterations: 0 });
    expect(accepted.reason).toBe("a person accepted iteration 1");
    expect(box.read("n")).toBe("one");
  });

  it("accept without gates ends as converged, exit 0", async () => {
    const { box, code } = await runTask({ agent, strategy: "manual" });
    expect(code).toBe(4);
    expect(await decideAndResume(box, "accept")).toMatchObject({
      code: 0,
      outcome: "converged",
      partial: false,
    });
  });

  it("stop ends the run as stopped and keeps everything", async () => {
    const { box } = await runTask(manual);
    const stopped = await decideAndResume(box, "stop");
    expect(stopped).toMatchObject({ code: 130, outcome: "stopped", partial: false, iterations: 0 });
    expect(stopped.reason).toBe("a person stopped the run after iteration 1");
    expect(box.read("n")).toBe("one");
  });

  it("rollback to iteration N restores its files before the next iteration", async () => {
    const { box } = await runTask(manual);
    await decideAndResume(box, "continue");
    expect(box.exists("keep")).toBe(false);
    const back = await decideAndResume(box, "rollback", "--iteration", "1", "--feedback", "Another way.");
    expect(back).toMatchObject({ code: 4, iterations: 1 });
    const [first, , third] = ofType(await box.events(), "snapshot.taken").filter(
      ({ iteration }) => iteration > 0,
    );
    expect(ofType(back.events, "workspace.restored")).toMatchObject([
      { iteration: 1, tree: first?.snapshot.tree },
    ]);
    expect(box.read("n")).toBe("three after one");
    expect(box.read("keep")).toBe("kept");
    expect(box.exists("extra")).toBe(false);
    expect(third?.snapshot.changes).toEqual([{ path: "n", kind: "changed" }]);
    expect(back.prompts[0]).toContain("Another way.");
  });

  it("rollback to the baseline is iteration 0", async () => {
    const { box } = await runTask(manual, { n: "base" });
    await decideAndResume(box, "continue");
    await decideAndResume(box, "rollback", "--iteration", "0");
    expect(box.read("n")).toBe("three after base");
    expect(box.exists("keep")).toBe(false);
    expect(box.exists("extra")).toBe(false);
  });

  it("refuses an invalid decision, and the run keeps waiting", async () => {
    const { box, events } = await runTask(manual);
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [["rollback", "--iteration", "7"], "there is no iteration 7 to go back to"],
      [["perhaps"], 'expected one of continue, accept, stop, rollback, got "perhaps"'],
      [["accept", "--iteration", "1"], "--iteration works only with rollback"],
    ];
    for (const [choice, why] of refusals) {
      const refused = await box.converge("decide", "last", ...choice);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(why);
    }
    expect(await box.events()).toHaveLength(events.length);
  });

  it("passing gates end the run without asking", async () => {
    const ran = await runTask({ ...manual, gates: ['test "$(cat n)" = one'] });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });

  it("works through the SDK, also when another process decided", async () => {
    const box = sandbox();
    const where = { cwd: box.dir, home: box.home };
    const going = converge({ prompt: "Do it.", agent, gates: [RED], strategy: "manual" }, where);
    const first = await going;
    expect(first).toMatchObject({ state: "waiting", iterations: 1 });
    expect(first.outcome).toBeUndefined();
    await going.tell({ type: "decide", choice: "continue", feedback: "From the program." });
    expect(await converge({}, { ...where, resume: first.run.id })).toMatchObject({ state: "waiting" });
    expect((await box.converge("decide", "last", "accept")).code).toBe(0);
    const last = await converge({}, { ...where, resume: first.run.id });
    expect(last).toMatchObject({ state: "ended", outcome: "converged", partial: true });
    expect(last.run.iterations[1]?.prompt).toContain("From the program.");
  });
});
