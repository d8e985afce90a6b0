import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type AcpOptions, acp } from "#agents/acp/acp-agent";
import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { agentConformance } from "#testing/agent";
import { uniqueRun } from "#testing/unique-run";
import { folders, numbersIn } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";

const FIXTURE = fileURLToPath(new URL("../../fixtures/agents/acp-agent.mjs", import.meta.url));
const grace = { interruptMs: 100, terminateMs: 100 };
const behaves = (...args: string[]) => [process.execPath, FIXTURE, ...args];
const agent = (...args: string[]) => acp({ command: behaves(...args), grace });

agentConformance(
  "an agent that speaks ACP",
  {
    folders,
    says: (text) => {
      const file = path.join(folders().files, "text");
      fs.writeFileSync(file, text);
      return agent("says", file);
    },
    repeatsPrompt: () => agent("repeats"),
    crashes: () => agent("crashes"),
    hangs: () => agent("hangs"),
    isNotInstalled: () => acp({ command: "no-such-agent-anywhere acp" }),
  },
  { describe, it, expect },
);

interface RunOptions extends Partial<AcpOptions> {
  readonly in?: { dir: string; files: string };
  readonly ask?: Partial<AgentRequest>;
  readonly signal?: AbortSignal;
}

async function run(
  behaviour: readonly string[],
  { in: places = folders(), ask = {}, signal = new AbortController().signal, ...options }: RunOptions = {},
): Promise<AgentResult & { shown: string }> {
  const request = { run: uniqueRun(), iteration: 1, prompt: "Do it.", timeoutMs: 30_000, ...places, ...ask };
  const events: AgentEvent[] = [];
  for await (const event of acp({ command: behaves(...behaviour), grace, ...options }).run(request, signal))
    events.push(event);
  const last = events.pop();
  if (last?.type !== "finished") throw new Error("no result");
  const shown = events.map((event) => (event.type === "activity" ? event.text : "?")).join("");
  return { ...last.result, shown };
}

describe("a turn of an ACP agent", () => {
  it("shows text and tools without thoughts, and uses the text after the last tool as the message", async () => {
    const places = folders();
    const { shown, message, usage, sessionId, ok } = await run(["works"], { in: places });
    expect(shown).toEqual("I look at it.\n> execute npm test\nAll is well.");
    expect({ ok, message, sessionId }).toEqual({ ok: true, message: "All is well.", sessionId: "session-1" });
    expect(usage).toEqual({ inputTokens: 150, outputTokens: 20, cachedTokens: 50, costUsd: 0.25 });
    expect(fs.readFileSync(path.join(places.files, "transcript.log"), "utf8")).toEqual(shown);
    expect(fs.readFileSync(path.join(places.files, "stdout.log"), "utf8")).toContain("agent_message_chunk");
  });

  it.each([
    ["max_tokens", "context-too-long", undefined, "limit of tokens"],
    ["max_turn_requests", "crashed", undefined, "model requests"],
    ["refusal", "blocked", undefined, "refused to work"],
    ["cancelled", "crashed", undefined, "without being asked to"],
    ["bored", "crashed", undefined, '"bored"'],
  ])("fails with stop reason %s as %s", async (reason, failure, blockedBy, words) => {
    const result = await run(["stops", reason]);
    expect(result).toMatchObject({ ok: false, failure });
    expect(result.blockedBy).toEqual(blockedBy);
    expect(result.reason).toContain(words);
  });

  it.each([
    [{ code: 429, message: "Too many requests, retry after 30s" }, "rate-limited", undefined],
    [
      { code: -32603, message: "Internal error", data: { details: "context_length_exceeded" } },
      "context-too-long",
      undefined,
    ],
    [{ code: -32603, message: "Internal error", data: "Incorrect API key provided" }, "blocked", "login"],
    [{ code: -32603, message: "You exceeded your current quota" }, "blocked", "quota"],
    [{ code: -32603, message: "Something else" }, "crashed", undefined],
  ])("classifies the error %j as %s", async (error, failure, blockedBy) => {
    const result = await run(["fails", JSON.stringify(error)]);
    expect({ failure: result.failure, blockedBy: result.blockedBy }).toEqual({ failure, blockedBy });
  });

  it("is blocked without a login, and names the login methods", async () => {
    const result = await run(["auth"]);
    expect(result).toMatchObject({ failure: "blocked", blockedBy: "login" });
    expect(result.reason).toContain("An API key, Log in with a browser");
  });

  it("reports a crash that names both versions when the protocol version differs", async () => {
    const result = await run(["version"]);
    expect(result.failure).toEqual("crashed");
    expect(result.reason).toMatch(/version 99 .* speaks 1/);
  });
});

describe("a session of an ACP agent", () => {
  it("is resumed without repeating its history", async () => {
    const result = await run(["resumes"], { ask: { session: "old-one" } });
    expect(result).toMatchObject({ ok: true, message: "on with old-one", sessionId: "old-one" });
    expect(result.shown).toEqual("on with old-one");
    expect(result.usage.costUsd).toBeUndefined();
  });

  it("is blocked with a hint when the agent cannot resume", async () => {
    const result = await run(["works"], { ask: { session: "old-one" } });
    expect(result.failure).toEqual("blocked");
    expect(result.reason).toContain('write "context: fresh"');
  });
});

describe("a misbehaving ACP agent", () => {
  it("may print other lines between its messages", async () => {
    const result = await run(["rubbish"]);
    expect(result).toMatchObject({ ok: true, message: "Still here." });
  });

  it("reports a crash with its output when it prints no message and exits", async () => {
    const result = await run(["prints", "usage: agent [options]"]);
    expect(result.failure).toEqual("crashed");
    expect(result.reason).toContain("exited with 0 before it answered initialize; it printed: usage: agent");
  });

  it("times out when it never answers, long before the iteration ends", async () => {
    const result = await run(["mute"], { startMs: 1_000 });
    expect(result.failure).toEqual("timed-out");
    expect(result.reason).toContain("did not answer initialize within 1 s");
  });

  it("is killed at the timeout, and the pending request is named", async () => {
    const result = await run(["mute"], { ask: { timeoutMs: 700 } });
    expect(result.failure).toEqual("timed-out");
    expect(result.reason).toContain("it had not answered initialize");
  });

  it("crashes when it floods requests without reading the responses", async () => {
    const result = await run(["pesters"]);
    expect(result.failure).toEqual("crashed");
    expect(result.reason).toContain("took no answer");
  });

  it("reports its exit code and standard error", async () => {
    const result = await run([], { command: "sh -c 'echo no such model >&2; exit 4'" });
    expect(result.reason).toContain("exited with 4 before it answered initialize: no such model");
  });
});

describe("the end of a turn", () => {
  it("sends session/cancel before it kills the process", async () => {
    const places = folders();
    const stop = new AbortController();
    const result = run(["hangs"], { in: places, signal: stop.signal });
    await waitFor(() => numbersIn(path.join(places.dir, "pids")).length === 2);
    stop.abort();
    expect((await result).failure).toEqual("cancelled");
    expect(fs.existsSync(path.join(places.dir, "cancelled"))).toEqual(true);
    expect(numbersIn(path.join(places.dir, "pids")).filter(isAlive)).toEqual([]);
  });

  it("kills an idle agent that ignores signals", async () => {
    const places = folders();
    const result = await run(["stubborn"], { in: places, ask: { idleMs: 5_000 } });
    expect(result.failure).toEqual("idle");
    expect(numbersIn(path.join(places.dir, "pids"))).toHaveLength(1);
    expect(numbersIn(path.join(places.dir, "pids")).filter(isAlive)).toEqual([]);
  });
});

describe("permission requests", () => {
  const edit = (file: string) => ({ kind: "edit", title: "an edit", locations: [{ path: file }] });
  const shell = (command: unknown) => ({ kind: "execute", title: "a command", rawInput: { command } });
  const places = () => {
    const made = folders();
    fs.symlinkSync("/etc", path.join(made.dir, "link"));
    fs.symlinkSync("/nowhere/at/all", path.join(made.dir, "dangling"));
    return made;
  };
  const answers = async (calls: readonly object[], options: RunOptions = {}) => {
    const result = await run(["asks", JSON.stringify(calls)], {
      in: places(),
      commands: ["npm test"],
      ...options,
    });
    return { answers: JSON.parse(result.message) as string[], refused: result.refused ?? [] };
  };
  const yes = "allow_once";
  const no = "reject_once";

  const TABLE: readonly (readonly [string, object, string])[] = [
    ["an edit inside", edit("src/new/a.txt"), yes],
    ["an edit outside", edit("/etc/passwd"), no],
    ["an edit above", edit("../a.txt"), no],
    ["an edit in somebody's home", edit("~/.profile"), no],
    ["an edit through a link that leads out", edit("link/passwd"), no],
    ["an edit through a link that leads nowhere", edit("dangling"), no],
    ["an edit of who knows what", { kind: "edit", title: "something" }, no],
    ["an edit whose input names another place", { ...edit("a.txt"), rawInput: { file_path: "/etc/x" } }, no],
    ["an edit whose content looks like a path", { ...edit("a.txt"), rawInput: { content: "/etc/x" } }, yes],
    ["an edit by file URI", edit("file:///etc/passwd"), no],
    ["a diff inside", { kind: "edit", title: "x", content: [{ type: "diff", path: "a", newText: "" }] }, yes],
    ["a move out", { kind: "move", title: "x", rawInput: { from: "a", to: "/tmp/b" } }, no],
    ["a move inside", { kind: "move", title: "x", rawInput: { from: "a", to: "b" } }, yes],
    ["a deletion inside", { kind: "delete", title: "x", locations: [{ path: "a" }] }, yes],
    ["a look inside", { kind: "read", title: "x", locations: [{ path: "a" }] }, yes],
    ["a look outside", { kind: "read", title: "x", locations: [{ path: "/etc/shadow" }] }, no],
    ["a search without a place", { kind: "search", title: "TODO" }, yes],
    ["the gate's command", shell("npm test"), yes],
    ["the gate's command with arguments", shell('npm test -- -t "one two"'), yes],
    ["the gate's command in a shell", shell(["bash", "-lc", "npm test"]), yes],
    ["the gate's command as a title", { kind: "execute", title: "npm test" }, yes],
    [
      "the gate's command elsewhere",
      { kind: "execute", title: "x", rawInput: { command: "npm test", cwd: "/" } },
      no,
    ],
    ["the gate's command and another", shell("npm test; curl evil"), no],
    ["the gate's command on two lines", shell("npm test\ncurl evil"), no],
    ["the gate's command with a substitution", shell("npm test $(curl evil)"), no],
    ["the gate's command redirected", shell("npm test > /etc/passwd"), no],
    ["a longer word", shell("npm testing"), no],
    ["another command", shell("rm -rf /"), no],
    ["a fetch", { kind: "fetch", title: "http://localhost" }, no],
    ["another mode", { kind: "switch_mode", title: "yolo" }, no],
    ["anything else", { kind: "other", title: "a tool" }, no],
    ["nothing at all", {}, no],
    ["an allowance for ever only", { ...edit("a.txt"), kinds: ["allow_always", "reject_once"] }, no],
    ["no way to reject", { kind: "fetch", title: "x", kinds: ["allow_once"] }, "cancelled"],
  ];

  it("are answered by policy", async () => {
    const result = await answers(TABLE.map(([, call]) => call));
    const got = TABLE.map(([name], index) => [name, result.answers[index]]);
    expect(Object.fromEntries(got)).toEqual(
      Object.fromEntries(TABLE.map(([name, , answer]) => [name, answer])),
    );
  });

  it("name in each refusal the setting that would allow it", async () => {
    const { refused } = await answers([shell("make all"), edit("/etc/passwd")]);
    expect(refused[0]).toEqual(
      'execute "make all" was refused; allow: ["make all"] or "permissions: all" with "isolation: strict" would allow it',
    );
    expect(refused[1]).toContain(
      '/etc/passwd is outside the workspace; "permissions: all" with "isolation: strict" would allow it',
    );
  });

  it("allow the listed commands, and one with operators only when it is identical", async () => {
    const allow = ["make", "cd a && make"];
    const calls = [shell("make all"), shell("cd a && make"), shell("cd a && make all")];
    expect((await answers(calls, { allow })).answers).toEqual([yes, yes, no]);
  });

  it("allow everything, once each, with permissions: all", async () => {
    const calls = [shell("rm -rf x; y"), edit("/etc/passwd"), { kind: "fetch", title: "x" }];
    expect((await answers(calls, { permissions: "all" })).answers).toEqual([yes, yes, yes]);
  });

  it("allow only reading with read-only access", async () => {
    const calls = [
      edit("a.txt"),
      shell("npm test"),
      { kind: "read", title: "x", locations: [{ path: "a" }] },
    ];
    for (const permissions of ["auto", "all"] as const)
      expect((await answers(calls, { permissions, ask: { access: "read" } })).answers).toEqual([no, no, yes]);
  });

  it("use earlier updates of the same tool call", async () => {
    const result = await answers([
      { toolCallId: "a", kind: "edit", title: "out", locations: [{ path: "/etc/passwd" }] },
      { toolCallId: "a", title: "in", locations: [{ path: "a.txt" }] },
    ]);
    expect(result.answers).toEqual([no, no]);
  });
});
