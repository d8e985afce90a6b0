import { describe, expect, it } from "vitest";
import { beside, runIds, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { shell } from "../support/shell.ts";
import { waitFor } from "../support/wait.ts";

/** An agent with a child and a daemon, all of which run until they are killed. */
const family = (box: Sandbox) => {
  const out = beside(box);
  return `setsid sh -c 'echo $$ >> ${out.place("pids")}; exec sleep 600' &
sh -c 'echo $$ >> ${out.place("pids")}; exec sleep 600' &
while [ "$(wc -l < ${out.place("pids")})" -lt 2 ]; do sleep 0.02; done
echo $$ >> ${out.place("pids")}
wait`;
};

async function withFamily(...flags: string[]) {
  const box = sandbox();
  box.write({ "agent.sh": `#!/bin/sh\n${family(box)}\n` });
  const run = box.start(["run", "-p", "x", "--agent-cmd", "./agent.sh", "--gate", "test -e done", ...flags]);
  await waitFor(() => beside(box).lines("pids").length === 3);
  return { box, run, pids: beside(box).lines("pids").map(Number) };
}

describe("signals", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends a live run as stopped, exits 130 and kills all its processes",
    async (signal) => {
      const { box, run, pids } = await withFamily("--json");
      run.child.kill(signal);
      const { code, events } = await run.answer;
      expect(code).toBe(130);
      expect(events().at(-1)).toMatchObject({ type: "run.ended", outcome: "stopped" });
      expect(events()).toEqual(await stored(box));
      expect(pids.filter(isAlive)).toEqual([]);
    },
  );

  it("SIGHUP leaves a run that can be resumed, exits 129 and leaves no process", async () => {
    const { box, run, pids } = await withFamily();
    run.child.kill("SIGHUP");
    expect((await run.answer).code).toBe(129);
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await stored(box)).at(-1)?.type).toBe("iteration.interrupted");
    expect((await box.converge("ls")).stdout).toContain("interrupted");
    box.write({ "agent.sh": "#!/bin/sh\ntouch done\n" });
    expect((await box.converge("resume")).code).toBe(0);
  });

  it("SIGINT kills a running gate too", async () => {
    const box = sandbox();
    box.write({ "gate.sh": `#!/bin/sh\n[ $CONVERGE_ITERATION = 0 ] && exit 1\n${family(box)}\n` });
    const run = box.start(["run", "-p", "x", "--agent-cmd", "true", "--gate", "./gate.sh"]);
    await waitFor(() => beside(box).lines("pids").length === 3);
    run.child.kill("SIGINT");
    expect((await run.answer).code).toBe(130);
    expect(beside(box).lines("pids").map(Number).filter(isAlive)).toEqual([]);
    expect(ofType(await stored(box), "gate.judged").map((event) => event.iteration)).toEqual([0]);
  });

  it("a second Ctrl-C exits at once and kills an agent that ignores signals", async () => {
    const box = sandbox();
    const out = beside(box);
    box.write({
      "agent.sh": `#!/bin/sh\ntrap '' INT TERM\necho $$ > ${out.place("pid")}\nwhile :; do sleep 0.05; done\n`,
    });
    const run = shell(box, "exec 2>&1; trap : INT; converge run -p x --agent-cmd ./agent.sh --gate false");
    await waitFor(() => out.read("pid") !== "");
    const { driver } = JSON.parse((await box.converge("show", "--json")).stdout);
    process.kill(driver.pid, "SIGINT");
    await waitFor(() => run.printed().includes("again to exit at once"));
    process.kill(driver.pid, "SIGINT");
    expect((await run.ended).code).toBe(130);
    await waitFor(() => !isAlive(Number(out.read("pid"))));
  });
});

describe("a closed output pipe", () => {
  const COUNT = `-p count --no-protect --agent-cmd 'echo $CONVERGE_ITERATION > n' --gate 'test "$(cat n)" = 3'`;

  it.each(["", "--json"])("converge run %s | head -1: the run continues to its end", async (flag) => {
    const box = sandbox();
    const { output } = await shell(box, `converge run ${COUNT} ${flag} | head -1`).ended;
    expect(output.trim().split("\n")).toHaveLength(1);
    expect((await stored(box)).at(-1)).toMatchObject({
      type: "run.ended",
      outcome: "converged",
      iterations: 3,
    });
  });

  it.each(["show", "logs", "diff", "watch", "ls -n 1"])(
    "converge %s | head -1 exits without an error message",
    async (command) => {
      const box = sandbox();
      const agent = "yes 0123456789 | head -20000 | tee big.txt; touch done";
      await box.converge("run", "-p", "x", "--agent-cmd", agent, "--gate", "test -e done");
      const { output } = await shell(box, `{ converge ${command}; echo "exit $?" >&2; } | head -1`).ended;
      expect(output).toMatch(/exit (0|141)\n/);
      expect(output.trim().split("\n")).toHaveLength(2);
    },
  );
});

describe("one run per workspace", () => {
  const waiting = (box: Sandbox) => {
    const out = beside(box);
    return `touch ${out.place("waiting")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; touch done`;
  };
  const args = (box: Sandbox) => ["run", "-p", "x", "--agent-cmd", waiting(box), "--gate", "test -e done"];

  it("refuses a second run and says which run holds the workspace since when", async () => {
    const box = sandbox();
    const first = box.start(args(box));
    await waitFor(() => beside(box).exists("waiting"));
    const [id] = await runIds(box);
    const { code, stderr, stdout } = await box.converge(...args(box));
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      new RegExp(
        `in use by run ${id} \\(process ${first.child.pid} on .+\\) since \\d{4}-\\d\\d-\\d\\dT.+converge stop ${id}`,
      ),
    );
    expect(await runIds(box)).toEqual([id]);
    beside(box).touch("go");
    expect((await first.answer).code).toBe(0);
  });

  it("of ten concurrent starts exactly one wins, and the others leave nothing", async () => {
    const box = sandbox();
    const runs = Array.from({ length: 10 }, () => box.start(args(box)));
    let refused = 0;
    for (const { answer } of runs) void answer.then(({ code }) => (refused += Number(code === 2)));
    await waitFor(() => refused === 9 && beside(box).exists("waiting"));
    beside(box).touch("go");
    const codes = (await Promise.all(runs.map(({ answer }) => answer))).map(({ code }) => code);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    expect(await runIds(box)).toHaveLength(1);
    expect(ofType(await stored(box), "iteration.started")).toHaveLength(1);
  });

  it("releases the workspace lock at once after kill -9", async () => {
    const box = sandbox();
    const first = box.start(args(box));
    await waitFor(() => beside(box).exists("waiting"));
    first.child.kill("SIGKILL");
    await first.answer;
    beside(box).touch("go");
    expect((await box.converge(...args(box))).code).toBe(0);
  });

  it("worktrees of one repository do not block each other", async () => {
    const box = sandbox();
    box.write({ x: "" });
    box.commitAll();
    const first = box.start([...args(box), "--workspace", "worktree"]);
    await waitFor(() => beside(box).exists("waiting"));
    const second = ["run", "-p", "y", "--agent-cmd", "touch done", "--gate", "test -e done"];
    expect((await box.converge(...second, "--workspace", "worktree")).code).toBe(0);
    beside(box).touch("go");
    expect((await first.answer).code).toBe(0);
  });
});
