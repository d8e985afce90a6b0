import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunEvent } from "#spec/event";
import { beside, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** Logs each start and end beside the workspace; hangs half-way until it is killed, unless the file `go` exists. */
function hangingAgent(box: Sandbox): string {
  const out = path.dirname(box.dir);
  return `#!/bin/sh
echo "$CONVERGE_ITERATION" >> ${out}/agent-starts
cat work.txt >> ${out}/seen 2>/dev/null
echo half > work.txt
[ -e ${out}/go ] || { echo $$ > ${out}/agent-pid; while :; do sleep 0.05; done; }
echo whole > work.txt
echo "$CONVERGE_ITERATION" >> ${out}/agent-ends
`;
}

const task = (extra = "") => `prompt: finish the work
agent: {type: command, command: ./agent.sh}
gates: [{name: done, command: "grep -q whole work.txt"}]
${extra}`;

/** The guard: the child shell that cleans up after the run's process. */
function guardOf(pid: number | undefined): number {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const found = children.filter((child) =>
    fs.readFileSync(`/proc/${child}/cmdline`, "utf8").includes("read -r word"),
  );
  expect(found).toHaveLength(1);
  return Number(found[0]);
}

/** Starts a run whose agent hangs and kills the run with -9, without its guard if `guard` is false. */
async function killedWhileAgentRuns(box: Sandbox, { guard = true } = {}): Promise<void> {
  const { child, answer } = box.start(["run", "--json"]);
  await waitFor(() => beside(box).exists("agent-pid"));
  if (!guard) process.kill(guardOf(child.pid), "SIGKILL");
  child.kill("SIGKILL");
  await answer;
}

async function hanging(extra = ""): Promise<Sandbox> {
  const box = sandbox();
  box.write({ "work.txt": "start\n", "agent.sh": hangingAgent(box), "converge.yaml": task(extra) });
  box.commitAll();
  await killedWhileAgentRuns(box);
  beside(box).touch("go");
  return box;
}

describe("a killed run resumes", () => {
  it("killed while the agent runs: repeats that iteration and nothing else", async () => {
    const box = await hanging();
    const before = await stored(box);
    const { code, events } = await box.converge("resume", "--json");
    expect(code).toBe(0);
    expect(events().map((event) => event.type)).toEqual([
      "run.resumed",
      "iteration.interrupted",
      "agent.finished",
      "snapshot.taken",
      "gate.judged",
      "decision.made",
      "run.ended",
    ]);
    expect(before.map((event) => event.type)).toEqual([
      "run.started",
      "snapshot.taken",
      "gate.judged",
      "iteration.started",
    ]);
    expect(beside(box).lines("agent-starts")).toEqual(["1", "1"]);
    expect(beside(box).lines("agent-ends")).toEqual(["1"]);
  });

  it("killed while a gate runs: only that gate judges again", async () => {
    const box = sandbox();
    const out = beside(box);
    box.write({
      "agent.sh": `#!/bin/sh\necho "$CONVERGE_ITERATION" >> ${out.place("agent")}\necho whole > work.txt\n`,
      "first.sh": `#!/bin/sh\necho "$CONVERGE_ITERATION" >> ${out.place("first")}\ntest -e work.txt\n`,
      "second.sh": `#!/bin/sh
echo "$CONVERGE_ITERATION" >> ${out.place("second")}
[ $CONVERGE_ITERATION = 0 ] && exit 1
[ -e ${out.place("go")} ] || { touch ${out.place("hanging")}; while :; do sleep 0.05; done; }
`,
      "converge.yaml":
        "prompt: x\nagent: {type: command, command: ./agent.sh}\ngates: [./first.sh, ./second.sh]\n",
    });
    const { child, answer } = box.start(["run", "--json"]);
    await waitFor(() => out.exists("hanging"));
    child.kill("SIGKILL");
    await answer;
    out.touch("go");
    const { code } = await box.converge("resume");
    expect(code).toBe(0);
    expect(out.lines("agent")).toEqual(["1"]);
    expect(out.lines("first")).toEqual(["0", "1"]);
    expect(out.lines("second")).toEqual(["0", "1", "1"]);
    expect(ofType(await stored(box), "iteration.interrupted")).toEqual([]);
  });

  it("killed after each single event: ends the same, and no finished step runs twice", async () => {
    const box = sandbox();
    const out = beside(box);
    const counted = (what: string) => `echo "${what} $CONVERGE_ITERATION" >> ${out.place("steps")}`;
    box.write({
      "agent.sh": `#!/bin/sh\n${counted("agent")}\necho "$CONVERGE_ITERATION" > n\n`,
      "gate.sh": `#!/bin/sh\n${counted("gate")}\ntest "$(cat n)" = 2\n`,
      "converge.yaml": "prompt: count\nagent: {type: command, command: ./agent.sh}\ngates: [./gate.sh]\n",
    });
    const finished = (events: readonly RunEvent[]) => [
      ...ofType(events, "agent.finished").map((event) => `agent ${event.iteration}`),
      ...ofType(events, "gate.judged").map((event) => `gate ${event.iteration}`),
    ];
    const times = (step: string) => out.lines("steps").filter((line) => line === step).length;

    let args = ["run", "--json"];
    let kills = 0;
    for (let events: readonly RunEvent[] = []; events.at(-1)?.type !== "run.ended"; kills++) {
      const counts = new Map(finished(events).map((step) => [step, times(step)]));
      const { child, answer, until } = box.start(args);
      const fresh = new RegExp(
        `"seq":${(events.at(-1)?.seq ?? 0) + 1},.*"type":"(?!run.resumed|iteration.int)`,
      );
      const beyond = new RegExp(`"seq":${(events.at(-1)?.seq ?? 0) + 3},`);
      await Promise.race([until(fresh), until(beyond), answer]).catch(() => {});
      child.kill("SIGKILL");
      await answer;
      events = await stored(box);
      for (const [step, count] of counts) expect(times(step), step).toBe(count);
      args = ["resume", "--json"];
    }
    expect(kills).toBeGreaterThan(5);
    const recovery = ["run.resumed", "iteration.interrupted"];
    const types = (await stored(box)).map((event) => event.type).filter((type) => !recovery.includes(type));
    expect(types).toEqual([
      "run.started",
      "snapshot.taken",
      "gate.judged",
      ...["iteration.started", "agent.finished", "snapshot.taken", "gate.judged", "decision.made"],
      ...["iteration.started", "agent.finished", "snapshot.taken", "gate.judged", "decision.made"],
      "run.ended",
    ]);
  });

  it("records the interrupted files, which diff shows and restore brings back", async () => {
    const box = await hanging("onResume: restore");
    await box.converge("resume");
    const [cut] = ofType(await stored(box), "iteration.interrupted");
    expect(cut).toMatchObject({ iteration: 1, reason: expect.stringContaining("cut off") });
    const tree = cut?.tree ?? "";
    expect((await box.converge("diff", "last", "base", tree)).stdout).toContain("+half");
    const restored = await box.converge("restore", "last", "--iteration", tree.slice(0, 12));
    expect(restored).toMatchObject({ code: 0 });
    expect(box.read("work.txt")).toBe("half\n");
  });

  it("names the saved tree of an iteration that was interrupted before its snapshot", async () => {
    const box = await hanging();
    beside(box).touch("agent-pid");
    fs.rmSync(beside(box).place("go"));
    fs.rmSync(beside(box).place("agent-pid"));
    const { answer } = box.start(["resume"]);
    await waitFor(() => beside(box).exists("agent-pid"));
    await box.converge("stop", "last");
    expect((await answer).code).toBe(130);
    const tree = ofType(await stored(box), "iteration.interrupted").at(-1)?.tree ?? "";
    const { code, stderr } = await box.converge("diff", "last", "1");
    expect(code).toBe(2);
    expect(stderr).toContain(tree.slice(0, 12));
  });

  it("keeps the interrupted iteration's files in place", async () => {
    const box = await hanging();
    await box.converge("resume");
    expect(beside(box).lines("seen")).toEqual(["start", "half"]);
    expect(ofType(await stored(box), "workspace.restored")).toEqual([]);
  });

  it("restores a worktree to the start of the iteration", async () => {
    const box = await hanging("workspace: worktree");
    expect((await box.converge("resume")).code).toBe(0);
    expect(beside(box).lines("seen")).toEqual(["start", "start"]);
    const events = await stored(box);
    const [cut] = ofType(events, "iteration.interrupted");
    expect(ofType(events, "workspace.restored")).toMatchObject([
      { tree: events.find((event) => event.type === "snapshot.taken")?.snapshot.tree, saved: cut?.tree },
    ]);
    expect(box.read("work.txt")).toBe("start\n");
  });

  it.each([
    { extra: "onResume: restore", seen: ["start", "start"] },
    { extra: "workspace: worktree\nonResume: keep", seen: ["start", "half"] },
  ])("$extra overrides the workspace's default", async ({ extra, seen }) => {
    const box = await hanging(extra);
    expect((await box.converge("resume")).code).toBe(0);
    expect(beside(box).lines("seen")).toEqual(seen);
  });

  it("judges files edited after the kill again in place, and restores them in a worktree", async () => {
    for (const [type, ending] of [
      ["in-place", "snapshot.taken"],
      ["worktree", "workspace.restored"],
    ] as const) {
      const box = sandbox();
      const out = beside(box);
      box.write({
        "work.txt": "start\n",
        "agent.sh": "#!/bin/sh\necho whole > work.txt\n",
        "gate.sh": `#!/bin/sh
[ $CONVERGE_ITERATION = 0 ] && exit 1
[ -e ${out.place("go")} ] || { touch ${out.place("hanging")}; while :; do sleep 0.05; done; }
cat work.txt >> ${out.place("judged")}
`,
        "converge.yaml": `prompt: x\nagent: {type: command, command: ./agent.sh}\ngates: [./gate.sh]\nworkspace: ${type}\n`,
      });
      box.commitAll();
      const { child, answer } = box.start(["run"]);
      await waitFor(() => out.exists("hanging"));
      child.kill("SIGKILL");
      await answer;
      const dir = ofType(await stored(box), "run.started")[0]?.dir ?? "";
      fs.writeFileSync(path.join(dir, "work.txt"), "meddled\n");
      out.touch("go");
      const { code, events } = await box.converge("resume", "--json");
      expect(code).toBe(0);
      expect(events().map((event) => event.type)).toContain(ending);
      expect(out.lines("judged")).toEqual([type === "in-place" ? "meddled" : "whole"]);
    }
  });

  it("a run killed before its first step resumes from the start", async () => {
    const box = sandbox();
    box.write({
      "agent.sh": "#!/bin/sh\ntouch done\n",
      "converge.yaml": "prompt: x\nagent: {type: command, command: ./agent.sh}\ngates: [test -e done]\n",
    });
    const { child, answer, until } = box.start(["run", "--json"]);
    await until(/run.started/);
    child.kill("SIGKILL");
    await answer;
    expect((await box.converge("resume")).code).toBe(0);
    expect(ofType(await stored(box), "iteration.started")).toHaveLength(1);
  });
});

describe("processes of a killed run", () => {
  /** Leaves its session and process group, as a daemon does. */
  const withDaemon = (box: Sandbox) => {
    const out = path.dirname(box.dir);
    return `#!/bin/sh
for name in agent-pid daemon-pid; do
  pid=$(cat ${out}/$name 2>/dev/null) && [ -n "$(tr -d '\\0' < /proc/$pid/cmdline 2>/dev/null)" ] && echo "$name" >> ${out}/survivors
done
[ -e ${out}/go ] && { touch done; exit 0; }
setsid sh -c 'echo $$ > ${out}/daemon-pid; while :; do sleep 0.05; done' &
while ! [ -s ${out}/daemon-pid ]; do sleep 0.02; done
echo $$ > ${out}/agent-pid
while :; do sleep 0.05; done
`;
  };
  const killed = async (how?: { guard: boolean }) => {
    const box = sandbox();
    box.write({
      "agent.sh": withDaemon(box),
      "converge.yaml": "prompt: x\nagent: {type: command, command: ./agent.sh}\ngates: [test -e done]\n",
    });
    await killedWhileAgentRuns(box, how);
    const daemon = Number(beside(box).read("daemon-pid"));
    onTestFinished(() => void (isAlive(daemon) && process.kill(daemon, "SIGKILL")));
    return { box, out: beside(box), daemon };
  };

  it("the agent's process group and a daemon that left it die with the run", async () => {
    const { out, daemon } = await killed();
    await waitFor(() => !isAlive(Number(out.read("agent-pid"))));
    await waitFor(() => !isAlive(daemon));
  });

  it("resume kills a leftover daemon before the agent starts, when the guard was killed too", async () => {
    const { box, out, daemon } = await killed({ guard: false });
    expect(isAlive(daemon)).toBe(true);
    out.touch("go");
    const { code, stderr } = await box.converge("resume");
    expect(code).toBe(0);
    expect(out.read("survivors")).toBe("");
    expect(isAlive(daemon)).toBe(false);
    expect(stderr).toContain(`(${daemon})`);
  });

  it("a new run in the same workspace kills a leftover daemon before its agent starts", async () => {
    const { box, out, daemon } = await killed({ guard: false });
    out.touch("go");
    expect((await box.converge("run")).code).toBe(0);
    expect(out.read("survivors")).toBe("");
    expect(isAlive(daemon)).toBe(false);
  });

  it("stopping a dead run kills its leftover processes", async () => {
    const { box, daemon } = await killed({ guard: false });
    expect((await box.converge("stop", "last")).code).toBe(0);
    expect(isAlive(daemon)).toBe(false);
  });
});

describe("stateDir mirrors the state for other tools", () => {
  const mirrored = (stateDir: string) => `prompt: x
agent: {type: command, command: ./agent.sh}
strategy: {type: ralph, stateDir: ${stateDir}, maxIterations: 5}
gates: [{name: three, command: 'test "$CONVERGE_ITERATION" = 3'}]
`;
  const AGENT = {
    "agent.sh": '#!/bin/sh\necho "turn $CONVERGE_ITERATION"; date +%s%N > turn; ls -R > /dev/null\n',
  };
  /** The changed paths of each snapshot. */
  const changesIn = (events: readonly RunEvent[]) =>
    ofType(events, "snapshot.taken").map(({ snapshot }) => snapshot.changes.map((change) => change.path));

  it.each([".converge", "state/loop/"])(
    "writes loop-state.json and metrics.json to %s, which no snapshot contains",
    async (stateDir) => {
      const box = sandbox();
      box.write({ ...AGENT, "converge.yaml": mirrored(stateDir) });
      const { code, events } = await box.converge("run", "--json");
      expect(code).toBe(0);
      const state = JSON.parse(box.read(path.join(stateDir, "loop-state.json")));
      const metrics = JSON.parse(box.read(path.join(stateDir, "metrics.json")));
      expect(state).toMatchObject({ state: "ended", outcome: "converged", iteration: 3, maxIterations: 5 });
      expect(metrics.run).toBe(state.run);
      expect(metrics.iterations).toMatchObject([
        { iteration: 1, score: 0, filesChanged: 1 },
        { iteration: 2, score: 0, gates: [{ gate: "three", status: "failed" }] },
        { iteration: 3, score: 1, gates: [{ gate: "three", status: "passed" }] },
      ]);
      expect(changesIn(events())).toEqual([["agent.sh"], ["turn"], ["turn"], ["turn"]]);
      expect((await box.converge("diff", "last", "base", "now")).stdout.match(/^diff .*/gm)).toEqual([
        "diff --git a/turn b/turn",
      ]);
    },
  );

  it("writes the state copy again after a later restore and deliver", async () => {
    const box = sandbox();
    box.write({ ...AGENT, "converge.yaml": mirrored(".converge") });
    await box.converge("run");
    for (const later of [
      ["restore", "last", "--iteration", "3"],
      ["deliver", "last", "--as", "patch", "--file", "work.patch"],
    ]) {
      fs.rmSync(path.join(box.dir, ".converge", "loop-state.json"));
      expect((await box.converge(...later)).code, later.join(" ")).toBe(0);
      expect(JSON.parse(box.read(".converge/loop-state.json")), later.join(" ")).toMatchObject({
        state: "ended",
        outcome: "converged",
      });
    }
  });

  it("keeps the mirror out of snapshots although an earlier run without stateDir captured it", async () => {
    const box = sandbox();
    box.write({ ...AGENT, "converge.yaml": mirrored(".converge") });
    await box.converge("run");
    const other = ["run", "-p", "x", "--agent-cmd", "true", "--gate", "true", "--strategy", "fixed"];
    expect((await box.converge(...other)).code).toBe(0);
    const { events } = await box.converge("run", "--json");
    expect(changesIn(events())).toEqual([["agent.sh", "turn"], ["turn"], ["turn"], ["turn"]]);
    expect(box.exists(".converge/metrics.json")).toBe(true);
  });

  it.each(["state", "state/deep"])("does not follow a symlink out of the workspace: %s", async (stateDir) => {
    const box = sandbox();
    const elsewhere = beside(box).place("elsewhere");
    fs.mkdirSync(elsewhere);
    box.write({ ...AGENT, "converge.yaml": mirrored(stateDir) });
    fs.symlinkSync(elsewhere, path.join(box.dir, "state"));
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(0);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    expect(stderr.match(/is outside the workspace/g)).toHaveLength(1);
  });
});
