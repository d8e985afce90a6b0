// Tests fallback between agents, refused permissions and session context.
import { describe, expect, it } from "vitest";
import { type Agent, type AgentRequest, type AgentResult, converge, UsageError } from "../../src/index.ts";
import { ranIn, runTask } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const WORKS = script([{ write: { done: "" } }]);
const GATE = ["test -e done"];

describe("agents: [a, b]", () => {
  it.each([
    ["blocked", { fail: "credit balance is too low", kind: "blocked" }],
    ["not installed", { fail: "claude: command not found", kind: "not-found" }],
    ["away for hours", { fail: "limit reached", kind: "rate-limited", retryAfter: "3h" }],
  ])("falls back to the next agent in the same iteration when the first is %s", async (_, fail) => {
    const ran = await runTask({ agents: [script([fail]), WORKS], gates: GATE, limits: { iterations: 1 } });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    const [replaced] = ofType(ran.events, "agent.replaced");
    expect(replaced).toMatchObject({ iteration: 1, agent: 0, by: 1, result: { reason: fail.fail } });
    expect(ofType(ran.events, "agent.finished")).toMatchObject([{ agent: 1 }]);
  });

  it("does not call a blocked agent again and counts its usage", async () => {
    const first = script([
      { usage: { inputTokens: 40, outputTokens: 2 } },
      { fail: "quota", kind: "blocked" },
    ]);
    const second = script([{ say: "one" }], [{ write: { done: "" } }]);
    const ran = await runTask({ agents: [first, second], gates: GATE, limits: { tokens: 42 } });
    expect(ran).toMatchObject({ outcome: "diverged", iterations: 1 });
    expect(ran.reason).toContain("token");
    expect(ofType(ran.events, "agent.replaced")).toHaveLength(1);
  });

  it("waits out a short rate limit instead of switching agents", async () => {
    const later = { fail: "429", kind: "rate-limited", retryAfter: "100ms", once: true };
    const first = script([later, { write: { done: "" } }]);
    const ran = await runTask({ agents: [first, script([{ say: "me?" }])], gates: GATE });
    expect(ran).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(ofType(ran.events, "agent.replaced")).toEqual([]);
  });

  it("blocks the run when no agent can work and starts with the first again on resume", async () => {
    const login = { fail: "please log in", kind: "blocked", once: true };
    const first = script([login, { write: { done: "" } }]);
    const { box, ...ran } = await runTask({
      agents: [first, script([{ fail: "no money", kind: "blocked" }])],
      gates: GATE,
    });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", reason: "no money", iterations: 1 });
    expect(ranIn(box, await box.converge("resume", "last", "--json"))).toMatchObject({ code: 0 });
  });

  it("rotate: agents take turns", async () => {
    const writes = (name: string) => script([{ run: `echo ${name} >> turns` }]);
    const ran = await runTask({
      agents: [writes("a"), writes("b")],
      rotate: true,
      gates: ["false"],
      strategy: { type: "fixed", iterations: 4 },
    });
    expect(ran.box.read("turns")).toBe("a\nb\na\nb\n");
    expect(ofType(ran.events, "agent.finished").map(({ agent }) => agent)).toEqual([0, 1, 0, 1]);
  });

  it("refuses rotate with a single agent", async () => {
    const ran = await runTask({ agent: WORKS, rotate: true, gates: GATE });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('rotate needs several agents; write "agents: [<type>, <type>]"');
  });
});

describe("an agent that was refused a permission", () => {
  const REFUSED = 'it was not allowed to run curl; allow it with "allow: [curl]"';

  it("ends the run as blocked when the agent changed nothing", async () => {
    const ran = await runTask({ agent: script([{ refuse: REFUSED }]), gates: GATE });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", reason: REFUSED, iterations: 1 });
  });

  it("lets the next agent take over", async () => {
    const ran = await runTask({ agents: [script([{ refuse: REFUSED }]), WORKS], gates: GATE });
    expect(ran).toMatchObject({ code: 0, outcome: "converged" });
  });

  it("passes the refusal to the next prompt when the agent changed something", async () => {
    const agent = script([{ refuse: REFUSED }, { write: { half: "" } }], [{ write: { done: "" } }]);
    const ran = await runTask({ agent, gates: GATE });
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.prompts[1]).toContain("nobody will allow them; do without");
    expect(ran.prompts[1]).toContain(`| ${REFUSED}`);
  });

  it("reports the run as blocked and not as stuck", async () => {
    const agent = script([{ refuse: REFUSED }, { run: "date +%N >> half" }]);
    const ran = await runTask({ agent, gates: GATE, limits: { iterations: 2 } });
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 2 });
    expect(ran.reason).toBe(`${REFUSED} (all 2 iterations are used)`);
  });
});

describe("context", () => {
  /** A resumable agent object that records its requests. */
  function keeping(name: string, results: readonly Partial<AgentResult>[]) {
    const requests: AgentRequest[] = [];
    const agent: Agent = {
      name,
      resumes: true,
      async *run(request) {
        requests.push(request);
        const done = { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 1, leftBehind: [] };
        const own = { sessionId: request.session ?? `${name}-${requests.length}` };
        yield { type: "finished", result: { ...done, ...own, ...results[requests.length - 1] } };
      },
    };
    return { agent, sessions: () => requests.map(({ session }) => session) };
  }
  const place = () => {
    const { dir: cwd, home } = sandbox();
    return { cwd, home };
  };
  const loop = { prompt: "x", gates: ["false"], strategy: { type: "fixed", iterations: 3 } };

  it("fresh: every iteration starts a new session", async () => {
    const { agent, sessions } = keeping("a", []);
    await converge({ ...loop, agent }, place());
    expect(sessions()).toEqual([undefined, undefined, undefined]);
  });

  it("resume: the agent continues its session", async () => {
    const { agent, sessions } = keeping("a", []);
    await converge({ ...loop, agent, context: "resume" }, place());
    expect(sessions()).toEqual([undefined, "a-1", "a-1"]);
  });

  it("resume: each of several agents continues its own session", async () => {
    const a = keeping("a", []);
    const b = keeping("b", []);
    const task = { ...loop, strategy: { type: "fixed", iterations: 4 }, agents: [a.agent, b.agent] };
    await converge({ ...task, rotate: true, context: "resume" }, place());
    expect([a.sessions(), b.sessions()]).toEqual([
      [undefined, "a-1"],
      [undefined, "b-1"],
    ]);
  });

  it("resume: starts a new session when the old one has grown too long", async () => {
    const tooLong = { ok: false, failure: "context-too-long", reason: "prompt is too long" } as const;
    const { agent, sessions } = keeping("a", [{}, tooLong]);
    await converge({ ...loop, agent, context: "resume" }, place());
    expect(sessions()).toEqual([undefined, "a-1", undefined]);
  });

  it("resume: refuses an agent without sessions before anything starts", async () => {
    const task = { ...loop, agent: { type: "command", command: "true" }, context: "resume" as const };
    await expect(async () => converge(task, place())).rejects.toThrow(UsageError);
    await expect(async () => converge(task, place())).rejects.toThrow(/"true cannot|true cannot/);
  });
});
