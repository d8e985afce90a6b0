import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { approval, command, converge, convergence, type Run, type RunEvent } from "../../src/index.ts";
import { beside, stored } from "../support/observe.ts";
import { asked, type Ran, ranIn, runTask, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { shell, terminal } from "../support/shell.ts";
import { waitFor } from "../support/wait.ts";

const WAIT_MS = 1_000;

const CLI = `${process.execPath} ${fileURLToPath(new URL("../../bin/converge.js", import.meta.url))}`;
const COUNTING = { type: "command", command: 'echo "$CONVERGE_ITERATION" > n' };
const work = { name: "work", command: "test -e n" };
const review = { name: "review", type: "approval", message: "Is it safe?" };
const task = (gate: object = {}, rest: object = {}) => ({
  agent: COUNTING,
  gates: [work, { ...review, ...gate }],
  ...rest,
});

async function resumed(box: Sandbox, ...flags: string[]): Promise<Ran> {
  return ranIn(box, await box.converge("resume", "last", "--json", ...flags));
}

const verdicts = (events: readonly RunEvent[], gate = "review") =>
  ofType(events, "gate.judged")
    .filter((event) => event.gate === gate)
    .map(({ verdict }) => verdict);

/** Starts a run with --wait and returns once it waits for approval. */
async function waiting(given: object, ...flags: string[]) {
  const box = sandbox();
  box.write(taskFile(given));
  const run = box.start(["run", "--wait", "--json", ...flags]);
  await run.until(/"run\.parked"/);
  return { box, run };
}

describe("a run that needs approval", () => {
  it("parks and exits; approved in a second process, a third completes it", async () => {
    const { box, events, ...parked } = await runTask(task());
    expect(parked).toMatchObject({ code: 4, iterations: 1 });
    expect(parked.reason).toBe("review: Is it safe? (0 of 1 approvals; anybody may approve)");
    expect(verdicts(events).map(({ status }) => status)).toEqual(["waiting", "waiting"]);
    const [shown] = await asked<{ state: string; driver: object | null }>(box, "show", "last");
    expect(shown).toMatchObject({ state: "waiting", driver: null });

    const reply = await box.converge("approve", "last", "--as", "ann", "--message", "fine");
    expect(reply).toMatchObject({ code: 0, stdout: expect.stringContaining("review approved by ann") });
    const ran = await resumed(box);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 0, partial: false });
    expect(verdicts(ran.events)).toMatchObject([{ status: "passed", summary: "approved by ann" }]);
    expect(ofType(ran.events, "command.received")[0]?.queued.command).toMatchObject({
      by: "ann",
      message: "fine",
    });
  });

  it("resumes after a kill while waiting, approved in another process", async () => {
    const { box, run } = await waiting(task({ approvers: ["ann", "bob"], minimum: 2 }));
    expect((await box.converge("approve", "last", "--as", "ann")).code).toBe(0);
    await waitFor(async () => ofType(await stored(box), "run.parked").length === 2);
    run.child.kill("SIGKILL");
    await run.answer;
    expect((await box.converge("approve", "last", "--as", "bob")).code).toBe(0);
    const ran = await resumed(box);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 0, partial: false });
    expect(verdicts(ran.events)).toMatchObject([{ status: "passed", summary: "approved by ann and bob" }]);
    expect(ofType(await stored(box), "agent.finished")).toHaveLength(1);
  });

  it("--wait continues after the approval without counting the wait as run time", async () => {
    const { box, run } = await waiting(task());
    await sleep(WAIT_MS);
    expect((await box.converge("approve", "last")).stdout).not.toContain("converge resume");
    const { code, events } = await run.answer;
    expect(code).toBe(0);
    const [parked, answered] = [ofType(events(), "run.parked")[0], ofType(events(), "command.received")[0]];
    const wall = Date.parse(answered?.time ?? "") - Date.parse(parked?.time ?? "");
    const active = (answered?.elapsedMs ?? 0) - (parked?.elapsedMs ?? 0);
    // The run was parked before the wait began, so at least that long does not count.
    expect(wall - active).toBeGreaterThanOrEqual(WAIT_MS - 50);
  });

  it("resume --wait and a background run with --wait wait for the approval too", async () => {
    const { box } = await runTask(task());
    const staying = box.start(["resume", "last", "--wait", "--json"]);
    await staying.until(/"run\.resumed"/);
    expect((await box.converge("approve", "last")).code).toBe(0);
    expect((await staying.answer).code).toBe(0);

    const other = sandbox();
    other.write(taskFile(task()));
    expect((await other.converge("run", "--detach", "--wait")).code).toBe(0);
    await waitFor(async () => ofType(await stored(other), "run.parked").length === 1);
    expect((await other.converge("approve", "last")).stdout).not.toContain("no process drives");
    await waitFor(async () => (await stored(other)).at(-1)?.type === "run.ended");
  });

  it("a stop ends a run with --wait", async () => {
    const { box, run } = await waiting(task());
    run.child.kill("SIGINT");
    expect((await run.answer).code).toBe(130);
    expect((await stored(box)).at(-1)).toMatchObject({ outcome: "stopped", reason: "stopped by Ctrl-C" });
  });

  it("asks nobody while another gate is red, nor at the baseline", async () => {
    const ran = await runTask({
      agent: COUNTING,
      gates: [{ name: "red", command: "false" }, review],
      strategy: { type: "fixed", iterations: 2 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    const green = await runTask(task(), { n: "there already" });
    expect(green).toMatchObject({ code: 4, iterations: 1 });
  });

  it("a rejection fails the gate, reaches the agent, and the next change is asked about again", async () => {
    const { box } = await runTask(task());
    expect((await box.converge("reject", "last", "--as", "bob", "--message", "no tests")).code).toBe(0);
    const ran = await resumed(box);
    expect(ran).toMatchObject({ code: 4, iterations: 1 });
    expect(ran.prompts[0]).toMatch(/^\| rejected by bob: no tests$/m);
    expect(verdicts(ran.events).map(({ status }) => status)).toEqual(["failed", "waiting"]);
    await box.converge("approve", "last", "--as", "bob");
    expect(await resumed(box)).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("the gate fails after its timeout, a late approval is refused, and the run continues", async () => {
    const { box } = await runTask(
      task({ timeout: "1500ms" }, { strategy: { type: "fixed", iterations: 1 } }),
    );
    const [shown] = await asked<{ run: Run }>(box, "show", "last");
    const until = shown?.run.waitingFor?.until ?? "";
    await waitFor(() => new Date().toISOString() > until);
    const late = await box.converge("approve", "last");
    expect(late).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("that is over; `converge resume"),
    });
    const ran = await resumed(box);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
    expect(verdicts(ran.events)).toMatchObject([{ status: "failed", summary: "nobody approved within 1s" }]);
  });

  it("--wait notices the timeout by itself", async () => {
    const { run } = await waiting(task({ timeout: "1s" }, { strategy: { type: "fixed", iterations: 1 } }));
    const { code, events } = await run.answer;
    expect(code).toBe(1);
    expect(verdicts(events()).at(-1)).toMatchObject({
      status: "failed",
      summary: "nobody approved within 1s",
    });
  });

  it("decide accept while a gate waits ends the run as accepted, exit 6", async () => {
    const { box, run } = await waiting(task());
    expect((await box.converge("decide", "last", "accept")).code).toBe(0);
    expect((await run.answer).code).toBe(6);
    expect((await stored(box)).at(-1)).toMatchObject({ outcome: "converged", partial: true });
  });

  it("asks again about files that changed after the approval", async () => {
    const { box } = await runTask(task());
    await box.converge("approve", "last");
    box.write({ n: "something else" });
    const ran = await resumed(box);
    expect(ran).toMatchObject({ code: 4 });
    expect(verdicts(ran.events).map(({ status }) => status)).toEqual(["waiting"]);
    await box.converge("approve", "last");
    expect(await resumed(box)).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("on-change asks about files that no approval covers, even untouched ones", async () => {
    const idle = { ...task({ condition: "on-change" }), agent: { type: "command", command: "true" } };
    const { box, ...parked } = await runTask(idle, { n: "there already" });
    expect(parked).toMatchObject({ code: 4, reason: expect.stringContaining("Is it safe?") });
    await box.converge("approve", "last");
    expect(await resumed(box)).toMatchObject({ code: 0, outcome: "converged" });
  });
});

describe("approvers", () => {
  it("refuses other users at once and names the approvers", async () => {
    const { box, events } = await runTask(task({ approvers: ["ann", "bob"] }));
    for (const word of ["approve", "reject"]) {
      const refused = await box.converge(word, "last", "--as", "eve");
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"eve" may not ${word} "review"; these may: ann, bob`),
      });
    }
    // The user that runs the tests is not an approver.
    expect((await box.converge("approve", "last")).code).toBe(2);
    expect(await box.events()).toHaveLength(events.length);
    expect((await box.converge("approve", "last", "--as", "bob")).code).toBe(0);
  });

  it("refuses an answer to a gate that asks nobody or does not ask now", async () => {
    const { box } = await runTask(task());
    const other = await box.converge("approve", "last", "work");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("it judges by itself") });
    await box.converge("approve", "last");
    await resumed(box);

    const slow = sandbox();
    const agent = `touch ${beside(slow).place("works")}; while ! [ -e ${beside(slow).place("go")} ]; do sleep 0.05; done; touch n`;
    slow.write(taskFile({ ...task(), agent: { type: "command", command: agent } }));
    const run = slow.start(["run"]);
    await waitFor(() => beside(slow).exists("works"));
    const early = await slow.converge("approve", "last", "review");
    expect(early).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not wait for an answer now"),
    });
    beside(slow).touch("go");
    expect((await run.answer).code).toBe(4);
  });

  it.each([
    { how: "as it is", command: "./agent.sh" },
    { how: "in a child without the mark of the run", command: "env -u CONVERGE_RUN ./agent.sh; true" },
    { how: "without the mark of the run", command: "exec env -u CONVERGE_RUN ./agent.sh" },
    { how: "with the mark of another run", command: "exec env CONVERGE_RUN=other ./agent.sh" },
  ])("refuses approve, decide, stop and restore by an agent: $how", async ({ command }) => {
    const box = sandbox();
    const words = ["approve last review", "decide last accept", "stop last", "restore last --iteration base"];
    const commands = words.map(
      (word) => `CONVERGE_HOME=${box.home} ${CLI} ${word} >> ../said 2>&1; echo "exit $?" >> ../said`,
    );
    box.write({ "agent.sh": `#!/bin/sh\ntouch n\n${commands.join("\n")}\n` });
    box.write(taskFile({ ...task(), agent: { type: "command", command } }));
    expect(await box.converge("run")).toMatchObject({ code: 4 });
    const lines = beside(box).lines("said");
    expect(lines.filter((line) => line === "exit 2")).toHaveLength(words.length);
    for (const what of ["approve", "decide", "stop", "restore"])
      expect(lines.join("\n")).toContain(`an agent cannot ${what}: this process was started by run`);
  });

  it("refuses steer by a hook, which runs in the workspace, and allows show", async () => {
    const box = sandbox();
    const cli = `CONVERGE_HOME=${box.home} ${CLI}`;
    const hook = `${cli} steer $CONVERGE_RUN hello > ../said 2>&1; ${cli} show $CONVERGE_RUN > ../shown`;
    box.write(
      taskFile({
        agent: COUNTING,
        gates: [{ name: "red", command: "false", onFailure: "escalate" }],
        strategy: { type: "fixed", iterations: 1 },
        hooks: { escalate: hook },
      }),
    );
    expect((await box.converge("run")).code).toBe(1);
    expect(beside(box).read("said")).toContain("an agent cannot steer");
    expect(beside(box).read("shown")).toContain("iteration");
  });
});

describe("output while a gate waits", () => {
  it("a terminal shows approvers, deadline and what to type, and the run continues by itself", async () => {
    const box = sandbox();
    box.write(taskFile(task({ approvers: ["ann"], timeout: "2h" })));
    const look = terminal(box, "converge run --wait; echo exit $?");
    const seen = () => stripVTControlCharacters(look.printed());
    // Waits for the last part of a frame, because a frame may arrive in pieces.
    await waitFor(() => /in another terminal:\s+converge approve \w+ review/.test(seen()));
    expect(seen()).toMatch(/waiting for a person \d+s · until \d\d:\d\d \((1h 59m|2h 00m) left\)/);
    expect(seen()).toContain("review: Is it safe? (0 of 1 approvals; ann may approve)");
    await box.converge("approve", "last", "--as", "ann");
    expect((await look.ended).output).toContain("exit 0");
  });

  it("plain output shows the same in lines", async () => {
    const box = sandbox();
    box.write(taskFile(task()));
    const look = shell(box, "converge run --wait");
    await waitFor(() => look.printed().includes("goes on by itself once there is an answer"));
    expect(look.printed()).toMatch(/^‖ waiting: review: Is it safe\?/m);
    await box.converge("approve", "last");
    expect((await look.ended).code).toBe(0);
  });

  it("watch continues while a process waits, and ends when none does", async () => {
    const { box, run } = await waiting(task());
    const watching = box.start(["watch", "last", "--json"]);
    await watching.until(/"run\.parked"/);
    await box.converge("approve", "last");
    expect((await run.answer).code).toBe(0);
    const { code, events } = await watching.answer;
    expect(code).toBe(0);
    expect(events().at(-1)?.type).toBe("run.ended");

    const parked = await runTask(task());
    expect((await parked.box.converge("watch", "last")).code).toBe(4);
  });
});

describe("approval through the SDK", () => {
  it("a program waits for the answer and may give it for a person", async () => {
    const box = sandbox();
    const gates = [
      command("test -e n", { name: "work" }),
      { ...approval({ approvers: ["ann"], timeout: "1h" }), name: "review" },
      { ...convergence({ snapshots: 2, maxChangedLines: 10 }), name: "settled" },
    ];
    const going = converge(
      { prompt: "Do it.", agent: command("echo 1 > n"), gates },
      { cwd: box.dir, home: box.home, wait: true },
    );
    for await (const event of going) {
      if (event.type !== "run.parked") continue;
      const answer = { type: "approve", gate: "review", by: "eve" } as const;
      await expect(going.tell(answer)).rejects.toThrow('"eve" may not approve');
      await going.tell({ ...answer, by: "ann" });
    }
    expect(await going).toMatchObject({ outcome: "converged", partial: false, iterations: 1 });
  });
});

describe("refuses invalid options when the task is read", () => {
  it.each([
    {
      gate: { approvers: ["ann"], minimum: 2 },
      says: "expected at most 1, the number of approvers, got 2",
    },
    { gate: { approvers: [] }, says: "expected at least one name" },
    { gate: { minimum: 0 }, says: "expected at least 1" },
    { gate: { timeout: "soon" }, says: "expected a duration" },
    { gate: { repeat: { runs: 3, passes: 2 } }, says: "gates[1].repeat: has no effect with type approval" },
    { gate: { condition: "manual" }, says: "gates[1].condition: has no effect with type approval" },
    { gate: { aprovers: ["ann"] }, says: 'did you mean "approvers"?' },
  ])("$gate", async ({ gate, says }) => {
    const { code, stderr } = await runTask(task(gate));
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
});
