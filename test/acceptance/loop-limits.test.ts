import { describe, expect, it } from "vitest";
import { ranIn, runTask } from "../support/run-task.ts";
import { ofType } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const command = (text: string) => ({
  type: "command",
  command: text,
  grace: { interrupt: "50ms", terminate: "50ms" },
});
const MANY = { type: "fixed", iterations: 50 };
/** Longer than any test takes: a test that reaches it hangs. */
const FOREVER = "sleep 1000";

describe("convergence", () => {
  it("each iteration is agent, snapshot, gates, decision, in this order", async () => {
    const ran = await runTask({
      agent: script([{ write: { n: "1" } }], [{ write: { n: "2" } }]),
      gates: ['test "$(cat n)" = 2', "true"],
    });
    const steps = ran.events.map((event) => event.type);
    const iteration = [
      "iteration.started",
      "agent.finished",
      "snapshot.taken",
      "gate.judged",
      "gate.judged",
      "decision.made",
    ];
    expect(steps).toEqual([
      "run.started",
      "snapshot.taken",
      "gate.judged",
      "gate.judged",
      ...iteration,
      ...iteration,
      "run.ended",
    ]);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  });

  it("requires all gates to pass", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: ["true", "false"],
      strategy: { type: "fixed", iterations: 1 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });

  it("requires only the gates named in until", async () => {
    const ran = await runTask({
      agent: script([{ write: { a: "" } }], [{ write: { b: "" } }]),
      gates: [
        { name: "tests", command: "test -e a" },
        { name: "lint", command: "test -e b" },
        { name: "wish", command: "false" },
      ],
      until: ["tests", "lint"],
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2, partial: false });
  });

  it("does not count a required gate as passed when it was skipped", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: [
        { name: "lint", command: "false" },
        { name: "tests", command: "false", skipIf: { failed: ["lint"] } },
        { name: "build", command: "true" },
      ],
      until: ["tests", "build"],
      strategy: { type: "fixed", iterations: 1 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
  });
});

describe("success before limits", () => {
  it("converges on the last of five allowed iterations", async () => {
    const ran = await runTask({
      agent: command('echo "$CONVERGE_ITERATION" > n'),
      gates: ['test "$(cat n)" = 5'],
      strategy: { type: "fixed", iterations: 5 },
      limits: { iterations: 5, agentFailures: 1 },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 5 });
  });

  it("converges although the tokens and the money are used up", async () => {
    const usage = { inputTokens: 500, outputTokens: 500, costUsd: 5 };
    const ran = await runTask({
      agent: script([{ write: { done: "" } }, { usage }]),
      gates: ["test -e done"],
      limits: { tokens: 10, cost: 1 },
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });
});

describe("limits, each with its own reason", () => {
  const limited = (limits: object, agent: object, gates: readonly unknown[] = ["false"]) =>
    runTask({ agent, gates, strategy: MANY, limits, baseline: "off" });

  it("iterations", async () => {
    const ran = await limited({ iterations: 2 }, script([]));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.reason).toBe("all 2 iterations are used");
  });

  it("wall clock, while an agent runs", async () => {
    const ran = await limited({ time: "2s" }, command(FOREVER));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 1 });
    expect(ran.reason).toBe("time limit: 2 s used up");
    expect(ofType(ran.events, "agent.finished")[0]?.result).toMatchObject({ failure: "timed-out" });
  });

  it("wall clock, while a gate runs: the interrupted gate has no verdict", async () => {
    const gate = { command: FOREVER, onFailure: "stop", grace: { interrupt: "50ms", terminate: "50ms" } };
    const ran = await limited({ time: "2s" }, script([]), [gate]);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 1 });
    expect(ran.reason).toBe("time limit: 2 s used up");
    expect(ofType(ran.events, "gate.judged")).toEqual([]);
  });

  it("wall clock: the interrupted gate judges once there is more time", async () => {
    const gate = { command: `test -e fast || ${FOREVER}`, grace: { interrupt: "50ms", terminate: "50ms" } };
    const { box, reason } = await limited({ time: "2s" }, script([]), [gate]);
    expect(reason).toBe("time limit: 2 s used up");
    box.write({ fast: "" });
    const resumed = ranIn(box, await box.converge("resume", "last", "--max-time", "1m", "--json"));
    expect(resumed).toMatchObject({ code: 0, outcome: "converged", iterations: 0 });
  });

  it("wall clock, while a gate runs in the strategy's last iteration", async () => {
    const ran = await runTask({
      agent: script([]),
      gates: [{ command: FOREVER, grace: { interrupt: "50ms", terminate: "50ms" } }],
      strategy: { type: "fixed", iterations: 1 },
      limits: { time: "2s" },
      baseline: "off",
    });
    expect(ran.reason).toBe("time limit: 2 s used up");
  });

  it("wall clock, while an agent waits out a rate limit", async () => {
    const later = { fail: "come back tomorrow", kind: "rate-limited", retryAfter: "24h" };
    const ran = await limited({ time: "2s" }, script([later]));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged" });
    expect(ran.reason).toBe("time limit: 2 s used up");
  });

  it("time per iteration: the agent is killed and the run continues", async () => {
    const ran = await limited({ iteration: "300ms", agentFailures: 2 }, command(FOREVER));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    const [first] = ofType(ran.events, "agent.finished");
    expect(first?.result).toMatchObject({ ok: false, failure: "timed-out" });
    expect(first?.result.reason).toContain("was ended after 0.3 s, its time limit");
    expect(ran.prompts[1]).toContain("its time limit");
  });

  it("idle time: kills an agent that prints nothing, not one that prints", async () => {
    const agent = `if [ "$CONVERGE_ITERATION" = 1 ]; then ${FOREVER}; fi
      for i in 1 2 3 4 5 6 7 8; do echo still here; sleep 0.2; done; touch done`;
    const ran = await limited({ idle: "1s" }, command(agent), ["test -e done"]);
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    const [first] = ofType(ran.events, "agent.finished");
    expect(first?.result).toMatchObject({ ok: false, failure: "idle" });
    expect(first?.result.reason).toContain("printed nothing for 1 s");
  });

  const spender = command(
    `echo '{"inputTokens": 400, "outputTokens": 200, "costUsd": 0.3}' > "$CONVERGE_USAGE_FILE"`,
  );

  it("tokens, as the agent reports them through $CONVERGE_USAGE_FILE", async () => {
    const ran = await limited({ tokens: 1000 }, spender);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.reason).toBe("token limit: 1200 of 1000 used");
  });

  it("cost, as the agent reports it through $CONVERGE_USAGE_FILE", async () => {
    const ran = await limited({ cost: 0.5 }, spender);
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    expect(ran.reason).toBe("cost limit: $0.60 of $0.50 used");
  });

  it("counts an invalid usage report as unknown, never as less", async () => {
    const liar = command(`echo '{"inputTokens": -900, "costUsd": "free"}' > "$CONVERGE_USAGE_FILE"`);
    const ran = await limited({ iterations: 1, tokens: 1000 }, liar);
    expect(ofType(ran.events, "agent.finished")[0]?.result.usage).toEqual({});
  });

  it("tokens and cost of the scripted agent, over all iterations", async () => {
    const step = { usage: { outputTokens: 10, costUsd: 0.25 } };
    const byTokens = await limited({ tokens: 25 }, script([step]));
    expect(byTokens).toMatchObject({ iterations: 3, reason: "token limit: 30 of 25 used" });
    const byCost = await limited({ cost: 0.75 }, script([step]));
    expect(byCost).toMatchObject({ iterations: 3, reason: "cost limit: $0.75 of $0.75 used" });
  });

  it("agent failures in a row: a success in between resets the count", async () => {
    const crash = [{ fail: "out of memory" }];
    const ran = await limited({ agentFailures: 2 }, script(crash, [{ say: "hm" }], crash, crash, []));
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(ran.reason).toBe("the agent failed 2 times in a row: out of memory");
  });
});

describe("a failed agent", () => {
  it("is fed back, counts as an iteration, and its files are judged", async () => {
    const ran = await runTask({
      agent: command('echo "$CONVERGE_ITERATION" > n; echo "no space left" >&2; exit 3'),
      gates: ['test "$(cat n)" = 2'],
    });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.prompts[1]).toContain("The last agent run failed (crashed)");
    expect(ran.prompts[1]).toContain("exited with 3: no space left");
  });

  it("stops at the iteration limit", async () => {
    const ran = await runTask({
      agent: script([{ run: "echo ran >> ran" }, { fail: "crash" }]),
      gates: ["false"],
      strategy: MANY,
      limits: { iterations: 3, agentFailures: 1000 },
    });
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 3 });
    expect(ran.box.read("ran")).toBe("ran\n".repeat(3));
  });
});
