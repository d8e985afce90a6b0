import { describe, expect, it } from "vitest";
import { beside, runIds, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, type Started, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** A run whose first agent waits for the file `go`; later iterations finish at once. */
async function atWork(...flags: string[]): Promise<{ box: Sandbox; run: Started; go: () => void }> {
  const box = sandbox();
  const out = beside(box);
  const agent = `cat > /dev/null; echo "$CONVERGE_ITERATION" > n; echo $$ > ${out.place("pid")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done`;
  const args = ["run", "-p", "x", "--agent-cmd", agent, "--gate", "test $CONVERGE_ITERATION = 2"];
  const run = box.start([...args, ...flags]);
  await waitFor(() => out.read("pid") !== "");
  return { box, run, go: () => out.touch("go") };
}

/** A run that waits for a person after each iteration. */
async function waiting(): Promise<Sandbox> {
  const box = sandbox();
  const agent = 'echo "$CONVERGE_ITERATION" > n; cat > prompt.txt';
  const args = ["run", "-p", "x", "--agent-cmd", agent, "--gate", "test $CONVERGE_ITERATION = 3"];
  expect((await box.converge(...args, "--strategy", "manual")).code).toBe(4);
  return box;
}

const last = async (box: Sandbox) => (await stored(box)).at(-1);

describe("converge stop", () => {
  it("ends a live run, and its agent", async () => {
    const { box, run } = await atWork();
    const reply = await box.converge("stop", "last", "--reason", "enough");
    expect(reply).toMatchObject({ code: 0, stdout: expect.stringContaining("stop requested") });
    expect((await run.answer).code).toBe(130);
    expect(await last(box)).toMatchObject({ type: "run.ended", outcome: "stopped", reason: "enough" });
    expect(isAlive(Number(beside(box).read("pid")))).toBe(false);
  });

  it("ends a dead run", async () => {
    const { box, run } = await atWork();
    run.child.kill("SIGKILL");
    await run.answer;
    expect((await box.converge("stop", "last")).code).toBe(0);
    expect(await last(box)).toMatchObject({ type: "run.ended", outcome: "stopped" });
  });

  it("ends a dead run while another run works in its workspace", async () => {
    const { box, run } = await atWork();
    run.child.kill("SIGKILL");
    await run.answer;
    const [dead] = await runIds(box);
    const agent = `touch ${beside(box).place("second")}; while ! [ -e ${beside(box).place("go")} ]; do sleep 0.05; done; touch done`;
    const other = box.start(["run", "-p", "y", "--agent-cmd", agent, "--gate", "test -e done"]);
    await waitFor(() => beside(box).exists("second"));
    expect((await box.converge("stop", dead ?? "")).code).toBe(0);
    expect(JSON.parse((await box.converge("show", dead ?? "", "--json")).stdout).state).toBe("stopped");
    beside(box).touch("go");
    expect((await other.answer).code).toBe(0);
  });

  it("ends a waiting run", async () => {
    const box = await waiting();
    expect((await box.converge("stop", "last")).code).toBe(0);
    expect(await last(box)).toMatchObject({ type: "run.ended", outcome: "stopped" });
  });

  it("refuses stop, pause, steer and decide for an ended run and says how to continue it", async () => {
    const box = await waiting();
    await box.converge("stop", "last");
    for (const args of [["stop"], ["pause"], ["steer", "x"], ["decide", "accept"]]) {
      const [command = "", ...rest] = args;
      const { code, stderr } = await box.converge(command, "last", ...rest);
      expect(code).toBe(2);
      expect(stderr).toMatch(/has ended \(stopped\); continue it with: converge resume \w+/);
    }
  });
});

describe("converge pause and steer", () => {
  it("pause lets the current step finish", async () => {
    const { box, run, go } = await atWork();
    expect((await box.converge("pause", "last")).code).toBe(0);
    go();
    expect((await run.answer).code).toBe(4);
    const types = (await stored(box)).map((event) => event.type);
    expect(types.slice(-3)).toEqual(["agent.finished", "command.received", "run.paused"]);
    expect((await box.converge("ls")).stdout).toContain("paused");
  });

  it("steer: the text reaches the next prompt, once", async () => {
    const box = await waiting();
    const reply = await box.converge("steer", "last", "Use", "tabs, not spaces.");
    expect(reply.stdout).toContain("converge resume");
    await box.converge("decide", "last", "continue");
    await box.converge("resume");
    expect(box.read("prompt.txt")).toContain("Use tabs, not spaces.");
    await box.converge("decide", "last", "continue");
    expect((await box.converge("resume")).code).toBe(0);
    expect(box.read("prompt.txt")).not.toContain("Use tabs");
  });

  it("steer reaches a running run", async () => {
    const { box, run, go } = await atWork("--json");
    const reply = await box.converge("steer", "last", "Mind the gap.");
    expect(reply.stdout).not.toContain("converge resume");
    go();
    const { code, events } = await run.answer;
    expect(code).toBe(0);
    const [first, second] = ofType(events(), "iteration.started");
    expect(first?.prompt).not.toContain("Mind the gap.");
    expect(second?.prompt).toContain("Mind the gap.");
  });
});

describe("converge decide", () => {
  it("continue passes feedback to the next prompt", async () => {
    const box = await waiting();
    await box.converge("decide", "last", "continue", "--feedback", "Try harder.");
    expect((await box.converge("resume")).code).toBe(4);
    expect(box.read("n")).toBe("2\n");
    expect(box.read("prompt.txt")).toContain("Try harder.");
  });

  it("accept ends the run as accepted although a gate is red: exit 6, not 0", async () => {
    const box = await waiting();
    await box.converge("decide", "last", "accept");
    expect((await box.converge("resume")).code).toBe(6);
    expect(await last(box)).toMatchObject({ outcome: "converged", partial: true });
  });

  it("stop ends the run", async () => {
    const box = await waiting();
    await box.converge("decide", "last", "stop");
    expect((await box.converge("resume")).code).toBe(130);
    expect(await last(box)).toMatchObject({
      outcome: "stopped",
      reason: expect.stringContaining("a person"),
    });
  });

  it("rollback restores the files of an iteration and continues", async () => {
    const box = await waiting();
    await box.converge("decide", "last", "rollback", "--iteration", "0");
    const { events } = await box.converge("resume", "--json");
    expect(ofType(events(), "workspace.restored")).toMatchObject([{ iteration: 0 }]);
    expect(ofType(events(), "iteration.started")).toHaveLength(1);
  });

  it.each([
    { args: ["maybe"], says: 'expected one of continue, accept, stop, rollback, got "maybe"' },
    { args: ["continue", "--iteration", "1"], says: "--iteration works only with rollback" },
    {
      args: ["rollback", "--iteration", "x"],
      says: '--iteration: expected the number of an iteration (0 is the baseline), got "x"',
    },
    { args: ["rollback", "--iteration", "7"], says: "there is no iteration 7" },
  ])("refuses $args", async ({ args, says }) => {
    const box = await waiting();
    const { code, stderr } = await box.converge("decide", "last", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
});

describe("converge approve and reject", () => {
  const manualGate = async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": `prompt: x
agent: {type: command, command: touch done}
gates:
  - {name: release, command: test -e done, condition: manual}
limits: {iterations: 1}
`,
    });
    expect((await box.converge("run")).code).toBe(4);
    return box;
  };

  it("approve lets the waiting gate judge", async () => {
    const box = await manualGate();
    const reply = await box.converge("approve", "last", "--message", "looks good");
    expect(reply).toMatchObject({ code: 0, stdout: expect.stringContaining("release approved by") });
    expect((await box.converge("resume")).code).toBe(0);
    expect(ofType(await stored(box), "command.received").at(-1)?.queued.command).toMatchObject({
      type: "approve",
      gate: "release",
      message: "looks good",
    });
  });

  it("reject fails the waiting gate", async () => {
    const box = await manualGate();
    expect((await box.converge("reject", "last", "release")).code).toBe(0);
    expect((await box.converge("resume")).code).toBe(1);
  });

  it("refuses an unknown gate, and a run without a waiting gate", async () => {
    const box = await manualGate();
    const unknown = await box.converge("approve", "last", "relaese");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("it has release") });
    await box.converge("approve", "last");
    await box.converge("resume");
    const none = await box.converge("approve", "last");
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no gate of this run waits"),
    });
  });
});
