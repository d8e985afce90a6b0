import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Score } from "#backtest/score";
import { taskFile } from "../support/run-task.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";

interface Measured {
  readonly orders: number;
  readonly leftOut: number;
  readonly unread: readonly string[];
  readonly scores: readonly Score[];
}

const log = (id: string, scores: readonly number[], parts: object = {}) =>
  JSON.stringify({
    id,
    group: "g",
    budget: scores.length,
    iters: scores.map((score, at) => ({ score, act_hash: `${id}-${at}`, cost: 0.5 })),
    success: scores.at(-1) === 1,
    end: scores.at(-1) === 1 ? "success" : "budget",
    ...parts,
  });

const LOGS = [
  log("quick", [0.2, 1]),
  log("late", [0.2, 0.2, 0.2, 0.2, 1]),
  log("never", [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
  log("gone", [0.1], { end: "agent" }),
].join("\n");

async function measured(box: Sandbox, ...args: string[]): Promise<Measured> {
  const { code, stdout, stderr } = await box.converge("backtest", ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Measured;
}

describe("converge backtest of logs", () => {
  it("reports how many solved runs each strategy keeps and how many iterations it saves", async () => {
    const box = sandbox();
    box.write({ "logs/one.jsonl": LOGS });
    const { scores, leftOut, unread } = await measured(
      box,
      ...["--data", "logs", "--strategy", 'fixed:{"iterations":3}', "--strategy", "adaptive"],
    );
    expect({ leftOut, unread }).toEqual({ leftOut: 1, unread: [] });
    expect(scores.map(({ strategy }) => strategy)).toEqual(['fixed:{"iterations":3}', "adaptive"]);
    // 2 of 2, 3 of 5 and 3 of 6 iterations.
    expect(scores[0]).toMatchObject({ runs: 3, solved: 2, kept: 0.5, falseStops: 1 });
    expect(scores[0]?.saved).toBeCloseTo(5 / 13, 10);
    expect(scores[0]?.costSaved).toBeCloseTo(5 / 13, 10);
    expect(scores[1]).toMatchObject({ kept: 1 });
    expect(scores[1]?.chances).toBeGreaterThan(0);
  });

  it("prints a table, grouped by source, and names the lines that are not logs", async () => {
    const box = sandbox();
    box.write({ "logs/one.jsonl": `${LOGS}\nnonsense\n`, "logs/two.jsonl": log("other", [0, 1]) });
    const { code, stdout } = await box.converge("backtest", "--data", "logs", "--strategy", "hybrid");
    expect(code).toBe(0);
    expect(stdout).toContain("4 runs, 3 of them solved");
    expect(stdout).toContain("left out 1 run");
    expect(stdout).toContain(`could not read 1 line or run: ${path.join(box.dir, "logs", "one.jsonl")}:5`);
    expect(stdout).toMatch(/hybrid +all +4 /);
    expect(stdout).toMatch(/hybrid +one +3 /);
    expect(stdout).toMatch(/hybrid +two +1 +100\.0%/);
  });

  it("shuffles as often as asked, with the same result for the same seed", async () => {
    const box = sandbox();
    const many = Array.from({ length: 30 }, (_, at) => log(`r${at}`, at % 2 ? [0, 0, 0, 0] : [0, 0, 1]));
    box.write({ "a.jsonl": many.join("\n") });
    const args = ["--data", "a.jsonl", "--strategy", 'adaptive:{"value":"cheap"}', "--orders", "3"];
    const [one, same] = [await measured(box, ...args), await measured(box, ...args, "--seed", "1")];
    expect(one).toEqual(same);
    expect(one.orders).toBe(3);
  });

  it("evaluates a custom strategy", async () => {
    const box = sandbox();
    const module =
      'export default (run) => ({ continue: run.iterations.length < 2, reason: "two", confidence: 1 });';
    box.write({ "a.jsonl": LOGS, "mine.mjs": module });
    const { scores } = await measured(
      box,
      ...["--data", "a.jsonl", "--strategy", 'custom:{"module":"./mine.mjs"}', "--strategy", "manual"],
    );
    expect(scores[0]?.saved).toBeCloseTo(7 / 13, 10);
    // Waiting for a person counts as a stop.
    expect(scores[1]?.saved).toBeCloseTo(10 / 13, 10);
  });

  it("writes a self-contained page with every text escaped", async () => {
    const box = sandbox();
    const evil = `<script>alert("x")</script>&'`;
    box.write({
      "a.jsonl": [log("a", [0.2, 1], { source: evil }), log("b", [0, 0, 0], { source: "plain" })].join("\n"),
    });
    const { code, stdout } = await box.converge(
      ...["backtest", "--data", "a.jsonl", "--strategy", "adaptive", "--html", "page.html"],
    );
    expect(code).toBe(0);
    expect(stdout).toContain("page.html");
    const page = box.read("page.html");
    expect(page).not.toContain("<script");
    expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;");
    expect(page).not.toMatch(/(?:src|href)=|url\(|@import/);
    expect(page).toContain("default-src 'none'");
    expect(page.match(/<svg /g)?.length).toBeGreaterThanOrEqual(2);
    expect(page).toContain("adaptive, value 100");
  });

  it.each([
    [["--data", "."], /expected \.jsonl files in .*write one run per line.*omit --data/],
    [["--data", "nowhere"], /there is no .*nowhere/],
    [[], /there is no run to replay: none was found; record some/],
    [["--data", "a.jsonl", "--strategy", "adaptiv"], /unknown strategy "adaptiv"; did you mean "adaptive"/],
    [["--data", "a.jsonl", "--strategy", "adaptive:{"], /expected a name, or a name and options as JSON/],
    [["--data", "a.jsonl", "--strategy", 'fixed:{"iteration":3}'], /iteration/],
    [["--data", "a.jsonl", "--orders", "0"], /--orders: expected a whole number from 1/],
    [["--data", "a.jsonl", "--seed", "2"], /--seed needs --orders/],
    [["last", "--data", "a.jsonl"], /not both/],
  ])("refuses %j", async (args, complaint) => {
    const box = sandbox();
    box.write({ ...(args.includes("a.jsonl") && { "a.jsonl": LOGS }) });
    const { code, stderr } = await box.converge("backtest", ...args);
    expect(stderr).toMatch(complaint);
    expect(code).toBe(2);
  });
});

describe("converge backtest of recorded runs", () => {
  const COUNTS = {
    agent: { type: "command", command: 'echo "$CONVERGE_ITERATION" > n' },
    strategy: { type: "fixed", iterations: 4 },
    limits: { iterations: 4 },
  };

  it("replays all ended runs, or the named ones", async () => {
    const box = sandbox();
    for (const wanted of [3, 9]) {
      box.write(taskFile({ ...COUNTS, gates: [{ name: "n", command: `test "$(cat n)" = ${wanted}` }] }));
      await box.converge("run", "--json");
    }
    const all = await measured(box, "--strategy", 'fixed:{"iterations":2}');
    expect(all.scores).toMatchObject([{ runs: 2, solved: 1, kept: 0, falseStops: 1 }]);
    expect(all.scores[0]?.saved).toBeCloseTo(3 / 7, 10);
    const last = await measured(box, "last", "--strategy", 'fixed:{"iterations":3}');
    expect(last.scores).toMatchObject([{ runs: 1, solved: 0, saved: 0.25 }]);
  });

  it("reports runs that their own strategy stopped before the limit", async () => {
    const box = sandbox();
    box.write(
      taskFile({ agent: COUNTS.agent, limits: { iterations: 12 }, gates: [{ name: "n", command: "false" }] }),
    );
    await box.converge("run", "--json");
    const { stdout } = await box.converge("backtest", "--strategy", "hybrid");
    expect(stdout).toContain("1 run stopped by its own strategy before the limit");
  });
});
