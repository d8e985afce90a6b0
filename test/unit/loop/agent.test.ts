// The agent step: selects the agent, builds its request and turns its answer into an event.
import { describe, expect, it } from "vitest";
import { runAgent } from "#loop/agent";
import type { AgentEvent, AgentRequest, AgentResult, Isolation } from "#spec/agent";
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import { eventsFrom, plainPorts, plainWorkspace } from "../../support/plain-ports.ts";
import { quickClock } from "../../support/quick-clock.ts";
import { agentResult, began, captured, decided, judged, runAfter, worked } from "../../support/run-so-far.ts";

const MINUTE = 60_000;
const base = [captured(0), judged(0, "failed")];
const start = [...base, began(1)];
/** Events of iteration N, done by this agent of the task with this result. */
const by = (number: number, agent: number, result: Partial<AgentResult> = {}): EventBody[] => [
  began(number),
  { type: "agent.finished", iteration: number, agent, result: agentResult(result) },
  captured(number),
  judged(number, "failed"),
  decided(number),
];
const replaced = (iteration: number, agent: number): EventBody => ({
  type: "agent.replaced",
  iteration,
  agent,
  by: agent + 1,
  result: agentResult({ ok: false, failure: "blocked" }),
});
const delayed = (iteration: number, until: string): EventBody => ({
  type: "agent.delayed",
  iteration,
  until,
  reason: "rate limit",
});
const two = { agents: [{ type: "command" }, { type: "command" }] };
const limits = (parts: Partial<Task["limits"]>) => ({
  limits: { iterations: 10, iterationMs: 60 * MINUTE, agentFailures: 3, ...parts },
});
const finishes = (result: Partial<AgentResult>): AgentEvent => ({
  type: "finished",
  result: agentResult(result),
});

interface Ran {
  readonly events: readonly EventBody[];
  readonly requests: readonly AgentRequest[];
  readonly activity: readonly string[];
}

/** Runs the step with agents that all yield these events. */
async function runStep(
  run: Run,
  says: readonly AgentEvent[] = [finishes({})],
  parts: Partial<Ports> = {},
  signal = new AbortController().signal,
): Promise<Ran> {
  const requests: AgentRequest[] = [];
  const activity: string[] = [];
  const agents = run.task.agents.map(() => ({
    name: "plain",
    run: async function* (request: AgentRequest) {
      requests.push(request);
      yield* says;
    },
  }));
  const ports = plainPorts(run, { agents, onActivity: (text) => activity.push(text), ...parts });
  return { events: await eventsFrom(runAgent({ run, ports, signal })), requests, activity };
}

describe("agent selection", () => {
  it.each<[string, readonly EventBody[], Partial<Task>, number]>([
    ["picks the first agent of the task", start, two, 0],
    ["picks the first agent again in the second iteration", [...base, ...by(1, 0), began(2)], two, 0],
    ["falls back to the next agent when the first cannot work", [...start, replaced(1, 0)], two, 1],
    [
      "picks the next agent in each iteration when agents rotate",
      [...base, ...by(1, 0), began(2)],
      { ...two, rotate: true },
      1,
    ],
    [
      "starts over when all agents have had their turn",
      [...base, ...by(1, 0), ...by(2, 1), began(3)],
      { ...two, rotate: true },
      0,
    ],
    [
      "skips agents in the rotation that cannot work",
      [...start, replaced(1, 0), worked(1), decided(1), began(2)],
      { agents: [...two.agents, { type: "command" }], rotate: true },
      2,
    ],
  ])("%s", async (_, events, task, agent) => {
    expect((await runStep(runAfter(events, task))).events).toMatchObject([{ type: "agent.finished", agent }]);
  });
});

describe("the session that an agent resumes", () => {
  const resume: Partial<Task> = { context: "resume" };

  it.each<[string, readonly EventBody[], Partial<Task>, string | undefined]>([
    [
      "is undefined when each iteration starts a new session",
      [...base, ...by(1, 0, { sessionId: "s1" }), began(2)],
      {},
      undefined,
    ],
    [
      "is the session of the previous iteration",
      [...base, ...by(1, 0, { sessionId: "s1" }), began(2)],
      resume,
      "s1",
    ],
    ["is undefined in the first iteration", start, resume, undefined],
    [
      "is undefined when the context of the last session was too long",
      [...base, ...by(1, 0, { sessionId: "s1", ok: false, failure: "context-too-long" }), began(2)],
      resume,
      undefined,
    ],
    [
      "is undefined when the decision was to start fresh",
      [...base, ...by(1, 0, { sessionId: "s1" }), decided(1, { fresh: true }), began(2)],
      resume,
      undefined,
    ],
    [
      "is the last session of the same agent when agents rotate",
      [...base, ...by(1, 0, { sessionId: "s1" }), ...by(2, 1, { sessionId: "s2" }), began(3)],
      { ...resume, ...two, rotate: true },
      "s1",
    ],
  ])("%s", async (_, events, task, session) => {
    const [request] = (await runStep(runAfter(events, task))).requests;
    expect(request?.session).toBe(session);
  });
});

describe("the request to an agent", () => {
  const isolation: Isolation = { tier: "contained", network: true, hidden: [], writable: [] };

  it.each<[string, Partial<Task>, Partial<Ports>, Partial<AgentRequest>]>([
    [
      "has the prompt, the folder and the iteration",
      {},
      {},
      {
        run: "example",
        iteration: 1,
        prompt: "Make the tests pass.",
        dir: "/project",
        files: "/state/1/agent",
      },
    ],
    [
      "has the iteration's time limit as timeout",
      limits({ iterationMs: 5 * MINUTE }),
      {},
      { timeoutMs: 5 * MINUTE },
    ],
    [
      "has the run's remaining time as timeout when that is shorter",
      limits({ timeMs: 4 * MINUTE }),
      {},
      { timeoutMs: MINUTE },
    ],
    ["has the idle timeout", limits({ idleMs: MINUTE }), {}, { idleMs: MINUTE }],
    ["has the isolation", {}, { isolation }, { isolation }],
  ])("%s", async (_, task, parts, expected) => {
    const [request] = (await runStep(runAfter(start, task), [finishes({})], parts)).requests;
    expect(request).toMatchObject(expected);
  });
});

describe("the answer of an agent", () => {
  const limited = (retryAfterMs?: number) =>
    finishes({
      ok: false,
      failure: "rate-limited",
      reason: "try later",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  const blocked = { ok: false, failure: "blocked", reason: "log in first" } as const;
  const after = (ms: number, run: Run) => new Date(Date.parse(run.updatedAt) + ms).toISOString();
  const delays = (count: number) =>
    Array.from({ length: count }, () => delayed(1, "2026-01-01T00:00:00.000Z"));

  it.each<[string, AgentEvent, object, Partial<Task>?]>([
    ["records a finished agent", finishes({ message: "ok" }), { type: "agent.finished", iteration: 1 }],
    [
      "replaces an agent that is blocked",
      finishes(blocked),
      { type: "agent.replaced", agent: 0, by: 1, result: blocked },
      two,
    ],
    [
      "replaces an agent that is not installed",
      finishes({ ok: false, failure: "not-found" }),
      { type: "agent.replaced", agent: 0, by: 1 },
      two,
    ],
    [
      "replaces an agent with a long rate limit",
      limited(15 * MINUTE + 1),
      { type: "agent.replaced", by: 1 },
      two,
    ],
    ["waits for an agent with a short rate limit", limited(15 * MINUTE), { type: "agent.delayed" }, two],
    [
      "does not replace an agent that crashed",
      finishes({ ok: false, failure: "crashed" }),
      { type: "agent.finished" },
      two,
    ],
    [
      "finishes when the only agent is blocked",
      finishes(blocked),
      { type: "agent.finished", result: blocked },
    ],
    [
      "records an agent that is away",
      { type: "away", reason: "in a session", until: "2026-01-02T00:00:00.000Z" },
      { type: "agent.away", iteration: 1, reason: "in a session", until: "2026-01-02T00:00:00.000Z" },
    ],
  ])("%s", async (_, answer, expected, task) => {
    expect((await runStep(runAfter(start, task), [answer])).events).toMatchObject([expected]);
  });

  it.each<[string, number, number | undefined, number | undefined]>([
    ["for the agent's retry-after time", 0, 7_000, 7_000],
    ["for half a minute without a retry-after time", 0, undefined, 30_000],
    ["twice as long each time (exponential backoff)", 3, undefined, 240_000],
    ["for a quarter of an hour at most", 8, undefined, 15 * MINUTE],
    ["for the twentieth time", 19, 1_000, 1_000],
    ["at most twenty times", 20, 1_000, undefined],
  ])("waits out a rate limit %s", async (_, count, retryAfterMs, ms) => {
    const run = runAfter([...start, ...delays(count)]);
    const expected =
      ms === undefined
        ? { type: "agent.finished", result: { failure: "rate-limited" } }
        : { type: "agent.delayed", iteration: 1, until: after(ms, run), reason: "try later" };
    expect((await runStep(run, [limited(retryAfterMs)])).events).toMatchObject([expected]);
  });

  it.each<[string, string, object]>([
    [
      "blocks an agent that was denied a permission and changed nothing",
      "tree-0",
      { ok: false, failure: "blocked", blockedBy: "permission", reason: "git push is not allowed" },
    ],
    ["continues when an agent was denied a permission but changed files", "changed", { ok: true }],
  ])("%s", async (_, tree, result) => {
    const refused = finishes({ refused: ["git push is not allowed"] });
    const { events } = await runStep(runAfter(start), [refused], { workspace: plainWorkspace(tree) });
    expect(events).toMatchObject([{ type: "agent.finished", result }]);
  });

  it.each<[string, string, object]>([
    ["records the isolation of the agent", "command", { isolation: "contained" }],
    ["records no isolation for a session, which is not sandboxed", "session", {}],
  ])("%s", async (_, type, expected) => {
    const isolation: Isolation = { tier: "contained", network: true, hidden: [], writable: [] };
    const { events } = await runStep(runAfter(start, { agents: [{ type }] }), undefined, { isolation });
    const {
      type: _type,
      iteration: _iteration,
      agent: _agent,
      result: _result,
      ...rest
    } = events[0] as Extract<EventBody, { type: "agent.finished" }>;
    expect(rest).toEqual(expected);
  });

  it("passes on the agent's activity until it has finished", async () => {
    const says: AgentEvent[] = [
      { type: "activity", text: "reading" },
      finishes({}),
      { type: "activity", text: "late" },
    ];
    expect((await runStep(runAfter(start), says)).activity).toEqual(["reading"]);
  });

  it("throws when the agent ends without an answer", async () => {
    await expect(runStep(runAfter(start), [])).rejects.toThrow("agent plain ended without a final event");
  });

  it("is dropped when the agent was aborted, and the iteration is interrupted", async () => {
    const { events } = await runStep(
      runAfter(start),
      [finishes({ ok: false, failure: "cancelled" })],
      { workspace: plainWorkspace("half-done") },
      AbortSignal.abort(),
    );
    expect(events).toEqual([
      { type: "iteration.interrupted", iteration: 1, tree: "half-done", reason: "the agent was stopped" },
    ]);
  });
});

describe("an agent that was delayed", () => {
  const until = "2026-01-01T00:04:02.500Z";
  const run = (task: Partial<Task> = {}) => runAfter([...start, delayed(1, until)], task);
  const clocked = (of: Run) => {
    const clock = quickClock(of.updatedAt);
    const ports = { now: clock.now, sleep: clock.sleep, elapsed: () => of.elapsedMs + clock.monotonic() };
    return { clock, ports };
  };

  it("runs when its delay is over and polls for commands each second", async () => {
    const { clock, ports } = clocked(run());
    const { events } = await runStep(run(), undefined, ports);
    expect(clock.slept).toEqual([1_000, 1_000, 500]);
    expect(events).toMatchObject([{ type: "agent.finished" }]);
  });

  it("does not run when a command arrives first", async () => {
    const { clock, ports } = clocked(run());
    const inbox = async () =>
      clock.slept.length < 2 ? [] : [{ id: 1, command: { type: "pause" as const } }];
    const { events, requests } = await runStep(run(), undefined, { ...ports, inbox });
    expect([events, requests, clock.slept]).toEqual([[], [], [1_000, 1_000]]);
  });

  it("does not run when the run's time is up first", async () => {
    const short = run(limits({ timeMs: 4 * MINUTE + 1_000 }));
    const { clock, ports } = clocked(short);
    const { events, requests } = await runStep(short, undefined, ports);
    expect([requests, clock.slept]).toEqual([[], [1_000]]);
    expect(events).toMatchObject([
      { type: "run.ended", outcome: "diverged", reason: "time limit: 4 min used up" },
    ]);
  });
});
