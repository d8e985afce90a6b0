import { describe, expect, it } from "vitest";
import { ranIn, runTask, taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const command = (text: string) => ({ type: "command", command: text });

/** A report of a hundred tests, of which `failing` fail. */
const TESTS = {
  "tests.mjs": `import fs from "node:fs";
const failing = Number(fs.readFileSync("failing", "utf8"));
console.log("TAP version 13\\n1..100");
for (let at = 1; at <= 100; at++) console.log((at > failing ? "ok " : "not ok ") + at + " - test " + at);
process.exit(failing === 0 ? 0 : 1);`,
  failing: "10",
};
const GATE = { name: "tests", command: "node tests.mjs" };

describe("the default strategy", () => {
  it("converges when an agent fixes one of ten failing tests per iteration", async () => {
    const ran = await runTask(
      {
        agent: command("echo $((10 - CONVERGE_ITERATION)) > failing"),
        gates: [GATE],
        limits: { iterations: 30 },
      },
      TESTS,
    );
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 10 });
    expect(ran.reason).toBe("solved in iteration 10: all gates pass");
    expect(ran.decisions[0]?.reason).toBe("on to iteration 2 of 30");
    expect(ofType(ran.events, "run.started")[0]?.task.strategy).toEqual({ type: "hybrid" });
  });

  it("converges with a pass/fail gate that turns green in iteration 6", async () => {
    const ran = await runTask({
      agent: command('echo "$CONVERGE_ITERATION" >> n'),
      gates: [{ name: "build", command: "test $(wc -l < n) = 6" }],
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 6 });
  });

  it("converges after a wrong edit, idle iterations and a cheat that is restored", async () => {
    const agent = command(`case $CONVERGE_ITERATION in
      1) echo wrong > n;; 2|4|6) echo "All done.";; 3|5) rm -f tests/a.sh;; 7) echo right > n;; esac`);
    const ran = await runTask(
      {
        agent,
        gates: [{ name: "tests", command: "grep -q right n && test -e tests/a.sh" }],
        protect: ["tests/**"],
      },
      { "tests/a.sh": "true", n: "base" },
    );
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 7 });
  });

  it("ends a run without progress, says why, and resets the patience on resume", async () => {
    const box = sandbox();
    box.write({ ...TESTS, ...taskFile({ agent: command('echo "$CONVERGE_ITERATION" > n'), gates: [GATE] }) });
    const ran = ranIn(box, await box.converge("run", "--json"));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 8 });
    expect(ran.reason).toBe("no test has been fixed since the start (10 still fail)");
    const again = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(again).toMatchObject({ code: 1, outcome: "diverged", iterations: 8 });
    expect(again.reason).toBe("no test has been fixed since iteration 8 (10 still fail)");
    const text = await box.converge("resume", "last");
    expect(text.stdout).toMatch(/^not solved after 20 iterations in .*: all 20 iterations are used$/m);
    expect(text.stdout).toMatch(/^ {2}Continue with: converge resume \w+ --max-iterations 40/m);
    expect(text.stdout).not.toMatch(/restore|diverged/);
  });
});

describe("the iteration limit", () => {
  const never = { agent: command('echo "$CONVERGE_ITERATION" > n'), gates: ["false"] };

  it.each([
    ["fixed: {iterations: 25}", { strategy: { type: "fixed", iterations: 25 } }, [], 25],
    ["--strategy fixed --max-iterations 22", {}, ["--strategy", "fixed", "--max-iterations", "22"], 22],
    ["ralph: {maxIterations: 22}", { strategy: { type: "ralph", maxIterations: 22 } }, [], 22],
  ])("is set by %s", async (_, task, flags, iterations) => {
    const box = sandbox();
    box.write(taskFile({ ...never, ...task }));
    const ran = ranIn(box, await box.converge("run", "--json", ...flags));
    expect(ran).toMatchObject({ iterations, reason: `all ${iterations} iterations are used` });
    expect(ran.prompts[0]).not.toContain("of 20");
  });

  it("stops at the limit instead of announcing another iteration", async () => {
    const box = sandbox();
    box.write(taskFile(never));
    const { stdout } = await box.converge("run", "--max-iterations", "1");
    expect(stdout).not.toMatch(/iteration 2/);
    expect(stdout).toMatch(/^not solved after 1 iteration in .*: the only iteration is used$/m);
  });

  it("is raised by resume for every strategy", async () => {
    const box = sandbox();
    box.write(taskFile({ ...never, strategy: { type: "fixed", iterations: 2 } }));
    await box.converge("run", "--json");
    const ran = ranIn(box, await box.converge("resume", "last", "--max-iterations", "5", "--json"));
    expect(ran).toMatchObject({ iterations: 3, reason: "all 5 iterations are used" });
  });
});

describe("crashing agents", () => {
  it.each(["hybrid", "fixed", "ralph", "adaptive"])(
    "end a run under %s with the agent's error as reason",
    async (strategy) => {
      const box = sandbox();
      box.write(taskFile({ agent: command("echo no memory >&2; exit 3"), gates: ["false"], strategy }));
      const ran = ranIn(box, await box.converge("run", "--json"));
      expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 3 });
      expect(ran.reason).toMatch(/^the agent failed 3 times in a row: .*no memory/);
      expect(ranIn(box, await box.converge("resume", "last", "--json")).iterations).toBe(3);
    },
  );
});

describe("run --dry-run", () => {
  it("prints the plan and its limits, and starts nothing", async () => {
    const box = sandbox();
    box.write(taskFile({ agent: command("touch ran"), gates: ["npm test"], limits: { cost: 5 } }));
    const { code, stdout } = await box.converge("run", "--dry-run", "--max-iterations", "7");
    expect(code).toBe(0);
    expect(stdout).toMatch(/agent +touch ran/);
    expect(stdout).toMatch(/gates +.*npm test/);
    expect(stdout).toMatch(/strategy +hybrid/);
    expect(stdout).toMatch(
      /at most +7 iterations, each agent run up to 1h 00m\n +8h 00m in total\n +cost: \$5\.00/,
    );
    expect(box.exists("ran")).toBe(false);
    expect((await box.converge("ls")).stdout).not.toContain("hybrid");
  });

  it("limits an unattended run to eight hours unless a time is given", async () => {
    const limit = async (...flags: string[]) => {
      const box = sandbox();
      box.write(taskFile({ agent: command("true"), gates: ["false"] }));
      const { stdout } = await box.converge("run", "--dry-run", "--json", ...flags);
      return (JSON.parse(stdout) as { task: { limits: { timeMs?: number } } }).task.limits.timeMs;
    };
    expect(await limit()).toBe(8 * 3_600_000);
    expect(await limit("--max-time", "20h")).toBe(20 * 3_600_000);
  });
});
