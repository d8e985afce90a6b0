import { describe, expect, it } from "vitest";
import type { Progress } from "#spec/progress";
import { converge } from "../../src/index.ts";
import { stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { asked, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, type Started, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const GRACE = { interrupt: "50ms", terminate: "50ms" };
const agent = (command: string) => ({ type: "command", command, grace: GRACE });
/** Shell code that waits until the test writes the file. */
const waitInShell = (file: string) => `while ! test -e ${file}; do sleep 0.05; done`;

function begin(task: object, files: Readonly<Record<string, string>> = {}): { box: Sandbox; run: Started } {
  const box = sandbox();
  box.write({ ...files, ...taskFile(task) });
  return { box, run: box.start(["run", "--json"]) };
}

interface Shown {
  readonly state: string;
  readonly driver: { readonly pid: number } | null;
  readonly progress: Progress;
}

const shown = async (box: Sandbox) => (await asked<Shown>(box, "show", "last"))[0];

describe("live progress", () => {
  it("shows iteration, limits, elapsed time, passed gates, trend and remaining failures while the agent works", async () => {
    const { box, run } = begin(
      {
        agent: agent(`if [ "$CONVERGE_ITERATION" = 2 ]; then touch ../second; ${waitInShell("../go")}; fi
        printf '1..4\\nok 1 a\\nok 2 b\\nnot ok 3 c\\nnot ok 4 d\\n' > report`),
        gates: [
          { name: "tests", command: "cat report; ! grep -q '^not ok' report" },
          { name: "lint", command: "true" },
        ],
        strategy: { type: "fixed", iterations: 2 },
        limits: { iterations: 7, time: "1h", cost: 3 },
      },
      { report: "1..4\nnot ok 1 a\nnot ok 2 b\nnot ok 3 c\nnot ok 4 d\n" },
    );
    await waitFor(() => box.exists("../second"));
    const live = await shown(box);
    expect(live).toMatchObject({
      state: "running",
      driver: { pid: run.child.pid },
      progress: {
        iteration: 2,
        maxIterations: 2,
        maxMs: 3_600_000,
        phase: { name: "agent" },
        gatesPassed: 1,
        gatesTotal: 2,
        overall: 0.75,
        scores: [0.5, 0.75],
        trend: "improving",
        remaining: 1,
        best: { iteration: 1, score: 0.75 },
      },
    });
    expect(live?.progress.elapsedMs).toBeGreaterThan(0);
    expect(live?.progress.byGate).toMatchObject([
      { gate: "tests", status: "failed", score: 0.5, tests: { total: 4, passed: 2, failed: 2 } },
      { gate: "lint", status: "passed", score: 1 },
    ]);
    box.write({ "../go": "" });
    expect((await run.answer).code).toBe(1);
  });

  it("prints plain lines as they happen without a terminal", async () => {
    const box = sandbox();
    box.write(taskFile({ agent: agent(`touch n; ${waitInShell("../go")}`), gates: ["test -e n"] }));
    const run = box.start(["run"]);
    await run.until(/iteration 1 of 20/);
    box.write({ "../go": "" });
    const { code, stdout } = await run.answer;
    expect(code).toBe(0);
    expect(stdout).toContain("solved in iteration 1: all gates pass");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("stop", () => {
  it("kills the whole process tree, including setsid children and processes that ignore SIGTERM", async () => {
    const ignoreSignals = (name: string) =>
      `trap "" INT TERM HUP; echo $$ > ../${name}; while :; do sleep 0.1; done`;
    const { box, run } = begin({
      agent: agent(`echo half > half-done
        setsid sh -c '${ignoreSignals("session")}' &
        sh -c '${ignoreSignals("child")}' &
        ${ignoreSignals("self")}`),
      gates: ["false"],
    });
    const names = ["session", "child", "self"];
    const written = (name: string) => box.exists(`../${name}`) && box.read(`../${name}`).endsWith("\n");
    await waitFor(() => names.every(written));
    const pids = names.map((name) => Number(box.read(`../${name}`)));
    expect(pids.filter(isAlive)).toEqual(pids);

    expect(await box.converge("stop", "last", "--reason", "lunch")).toMatchObject({ code: 0 });
    const ran = ranIn(box, await run.answer);
    expect(ran).toMatchObject({ code: 130, outcome: "stopped", reason: "lunch" });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("keeps the files, the finished iterations and the interrupted iteration's tree", async () => {
    const { box, run } = begin({
      agent: agent(
        `echo "$CONVERGE_ITERATION" > n; test "$CONVERGE_ITERATION" = 1 || ${waitInShell("../never")}`,
      ),
      gates: ["false"],
    });
    await waitFor(() => box.exists("n") && box.read("n") === "2\n");
    await box.converge("stop", "last");
    const ran = ranIn(box, await run.answer);
    expect(ran).toMatchObject({ code: 130, outcome: "stopped", iterations: 2 });
    expect(box.read("n")).toBe("2\n");
    const [interrupted] = ofType(ran.events, "iteration.interrupted");
    expect(interrupted).toMatchObject({ iteration: 2, tree: expect.stringMatching(/^[0-9a-f]{40}/) });
    expect(ofType(ran.events, "run.ended")[0]).toMatchObject({ iterations: 2, tree: interrupted?.tree });
    expect((await box.converge("diff", "last", "1")).stdout).toContain("+1");
  });

  it("interrupts a gate without a verdict", async () => {
    const { box, run } = begin({
      agent: agent("true"),
      gates: [{ command: `touch ../judging; ${waitInShell("../never")}`, grace: GRACE }],
      baseline: "off",
    });
    await waitFor(() => box.exists("../judging"));
    await box.converge("stop", "last");
    const ran = ranIn(box, await run.answer);
    expect(ran).toMatchObject({ code: 130, outcome: "stopped" });
    expect(ofType(ran.events, "gate.judged")).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("%s to the process stops the run", async (signal) => {
    const { box, run } = begin({
      agent: agent(`touch ../started; ${waitInShell("../never")}`),
      gates: ["false"],
    });
    await waitFor(() => box.exists("../started"));
    run.child.kill(signal);
    const ran = ranIn(box, await run.answer);
    expect(ran).toMatchObject({ code: 130, outcome: "stopped" });
    expect(ran.reason).toBe(signal === "SIGINT" ? "stopped by Ctrl-C" : "stopped by SIGTERM");
  });

  it("ends a run without a driver at once", async () => {
    const { box, run } = begin({ agent: agent("true"), gates: ["false"], strategy: "manual" });
    expect((await run.answer).code).toBe(4);
    expect(await box.converge("stop", "last", "--reason", "not needed")).toMatchObject({ code: 0 });
    const [ended] = ofType(await box.events(), "run.ended");
    expect(ended).toMatchObject({ outcome: "stopped", reason: "not needed" });
  });

  it("stop(reason) of the SDK ends the run as stopped", async () => {
    const box = sandbox();
    const task = {
      prompt: "Do it.",
      agent: agent(`touch ../started; ${waitInShell("../never")}`),
      gates: ["false"],
    };
    const run = converge(task, { cwd: box.dir, home: box.home });
    await waitFor(() => box.exists("../started"));
    await run.stop("enough");
    expect(await run).toMatchObject({ outcome: "stopped", reason: "enough", iterations: 1 });
  });
});

describe("pause and resume", () => {
  it("a stopped run repeats its interrupted iteration on resume and may converge there", async () => {
    const { box, run } = begin({
      agent: agent(`echo ran >> ../ran; ${waitInShell("../go")}; touch done`),
      gates: ["test -e done"],
      limits: { iterations: 1 },
    });
    await waitFor(() => box.exists("../ran"));
    await box.converge("stop", "last");
    expect((await run.answer).code).toBe(130);
    box.write({ "../go": "" });
    const resumed = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(resumed).toMatchObject({ code: 0, outcome: "converged", iterations: 0 });
    expect(box.read("../ran")).toBe("ran\nran\n");
    // The interruption is recorded once.
    expect(ofType(await stored(box), "iteration.interrupted")).toMatchObject([{ iteration: 1 }]);
  });

  it("a paused run stops after its current step and continues there on resume, repeating nothing", async () => {
    const { box, run } = begin({
      agent: agent(`echo "$CONVERGE_ITERATION" >> ran; ${waitInShell("../go")}`),
      gates: ['test "$(wc -l < ran)" -eq 2'],
    });
    await waitFor(() => box.exists("ran"));
    expect(await box.converge("pause", "last")).toMatchObject({ code: 0 });
    box.write({ "../go": "" });
    const paused = await run.answer;
    expect(paused.code).toBe(4);
    expect(paused.events().at(-1)?.type).toBe("run.paused");
    expect(ofType(paused.events(), "agent.finished")).toHaveLength(1);
    expect(await shown(box)).toMatchObject({ state: "paused", driver: null });

    const resumed = await box.converge("resume", "last", "--json");
    expect(resumed.code).toBe(0);
    expect(box.read("ran")).toBe("1\n2\n");
    expect(ofType(await box.events(), "iteration.started")).toHaveLength(2);
  });
});
