import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventLines } from "#cli/output/event-lines";
import { createStyle } from "#cli/output/style";
import { width } from "#cli/output/width";
import type { EventBody } from "#spec/event";
import type { Run } from "#spec/run";
import { anyCharacter } from "../../../support/any-character.ts";
import { agent, event, iteration, midway, red, run, TIME, task, verdict } from "../samples.ts";

const bare = createStyle({ color: false, unicode: true });
const log = (body: EventBody, state: Run = midway, columns = 100): string[] =>
  eventLines(event(body), state, { style: bare, columns });

const started = (part: Parameters<typeof task>[0] = {}): EventBody => ({
  type: "run.started",
  task: task(part),
  taskHash: "0",
  dir: "/project",
  host: "box",
  version: "1",
});

describe("the start", () => {
  it("lists task, agent, gates, strategy, limits and workspace", () => {
    expect(log(started())).toEqual([
      "converge k3f9x2ab  Make the tests pass without changing them.",
      "  agent ./agent.sh · gates tests, lint · hybrid · up to 20 iterations, 10h 00m of agent time · in",
      "  place",
      "  in /project",
    ]);
  });

  it("lists the until gates and all limits, and names an agent without a command by its type", () => {
    const limits = { ...midway.task.limits };
    const body = started({
      agents: [{ type: "claude" }],
      until: ["tests"],
      limits,
      workspace: { type: "worktree", dir: "/p" },
    });
    expect(log(body, midway, 200)[1]).toBe(
      "  agent claude · gates tests, lint · until tests · hybrid · up to 20 iterations, 1h 00m, 500k tokens, $5.00 · worktree",
    );
    expect(log(started({ gates: [] }))[1]).toContain("· no gates ·");
  });
});

describe("the baseline", () => {
  const first = run({ baseline: iteration(0, { verdicts: [{ gate: "tests", verdict: red }] }) });

  it("gets its heading with the first verdict", () => {
    expect(log({ type: "gate.judged", iteration: 0, gate: "tests", verdict: red }, first)).toEqual([
      "baseline",
      "  ✘ tests  3/5    3 passed, 2 failed",
      "      adds numbers  test/add.test.js:12  expected 4, got 5",
      "      the report is missing",
    ]);
  });

  it("gets its score with the last", () => {
    const lint = verdict({ status: "failed", score: 0, summary: "3 problems" });
    expect(log({ type: "gate.judged", iteration: 0, gate: "lint", verdict: lint })).toEqual([
      "  ✘ lint   3 problems",
      "    score 20%",
    ]);
  });
});

describe("an iteration", () => {
  it("starts with its number and the time", () => {
    expect(log({ type: "iteration.started", iteration: 3, prompt: "…" })).toEqual([
      "iteration 3 of 20 · 14:03",
    ]);
  });

  it("shows the agent's usage, its claim and the processes it left behind", () => {
    const result = agent({
      message: "\n\nFixed the sum.\nAll done!",
      usage: { inputTokens: 9000, outputTokens: 500, costUsd: 0.04 },
      leftBehind: ["sleep 1000"],
    });
    expect(log({ type: "agent.finished", iteration: 1, agent: 0, result })).toEqual([
      "  agent done in 4s · 9.5k tokens · $0.04",
      "  │ All done!",
      "  ! ended 1 process that the agent left behind: sleep 1000",
    ]);
  });

  it("shows the first line of an agent's message, but the last line of a command's output", () => {
    const result = agent({ message: "Fixed the sum.\nIt was off by one.\n\n" });
    const messageLine = (type: string) =>
      log(
        { type: "agent.finished", iteration: 1, agent: 0, result },
        run({ task: task({ agents: [{ type }] }) }),
      )[1];
    expect(messageLine("claude")).toBe("  │ Fixed the sum.");
    expect(messageLine("command")).toBe("  │ It was off by one.");
  });

  it("lists three refusals and counts the rest", () => {
    const refused = ["git push; allow it with allow: [git]", "two", "three", "four", "five"];
    expect(
      log({ type: "agent.finished", iteration: 1, agent: 0, result: agent({ refused }) }).slice(1),
    ).toEqual([
      "  ! refused: git push; allow it with allow: [git]",
      "  ! refused: two",
      "  ! refused: three",
      "    +2 more",
    ]);
  });

  it("shows how and why the agent failed", () => {
    const result = agent({ ok: false, failure: "blocked", reason: "not logged in" });
    expect(log({ type: "agent.finished", iteration: 1, agent: 0, result })).toEqual([
      "  ✘ agent is blocked after 4s: not logged in",
    ]);
  });

  it("shows when a delayed agent continues", () => {
    const until = TIME.replace("14:03", "14:08");
    expect(log({ type: "agent.delayed", iteration: 1, until, reason: "usage limit" })).toEqual([
      "  … agent continues at 14:08, in 5m 00s: usage limit",
    ]);
  });

  it("names some of the changed files and counts the rest", () => {
    const changes = ["a.js", "b.js", "c.js", "d.js"].map((path) => ({ path, kind: "changed" as const }));
    const snapshot = { tree: "a", changes, changeCount: 40, omitted: [] };
    expect(log({ type: "snapshot.taken", iteration: 1, snapshot })).toEqual([
      "  40 files changed: a.js, b.js, c.js, +37 more",
    ]);
    expect(log({ type: "snapshot.taken", iteration: 1, snapshot: { ...snapshot, changeCount: 0 } })).toEqual([
      "  no files changed",
    ]);
  });

  it("warns about paths that the snapshot omits, also in the baseline", () => {
    const snapshot = {
      tree: "a",
      changes: [],
      changeCount: 0,
      omitted: ["vendor/lib: a repository of its own"],
    };
    expect(log({ type: "snapshot.taken", iteration: 0, snapshot })).toEqual([
      "  ! NOT CAPTURED: vendor/lib: a repository of its own",
    ]);
  });

  it("lists five failures and counts the rest", () => {
    const failures = Array.from({ length: 12 }, (_, index) => ({ message: `failure ${index}` }));
    const shown = log({ type: "gate.judged", iteration: 1, gate: "tests", verdict: { ...red, failures } });
    expect(shown).toHaveLength(7);
    expect(shown.slice(-2)).toEqual(["      failure 4", "      +7 more"]);
  });

  it("shows each status, the duration of slow gates and carried-over verdicts", () => {
    const shown = (part: Parameters<typeof verdict>[0]) =>
      log({ type: "gate.judged", iteration: 1, gate: "lint", verdict: verdict(part) });
    expect(shown({ durationMs: 12_000, summary: "clean" })).toEqual(["  ✔ lint   clean  12s"]);
    expect(shown({ carriedFrom: 2 })).toEqual(["  ✔ lint   unchanged since iteration 2"]);
    expect(shown({ status: "skipped", summary: "tests failed" })).toEqual(["  ○ lint   tests failed"]);
    expect(shown({ status: "waiting", summary: "approval" })).toEqual(["  … lint   approval"]);
    expect(shown({ status: "errored", summary: "eslint: not found" })).toEqual([
      "  ! lint   eslint: not found",
    ]);
  });

  it("warns about an escalated gate", () => {
    expect(log({ type: "gate.escalated", iteration: 1, gate: "tests", reason: "failed again" })).toEqual([
      "  ! ESCALATED tests: failed again",
    ]);
  });
});

describe("a decision", () => {
  const decision = { continue: true, reason: "iteration 1 of 3", confidence: 1 };

  it("shows score, reason, confidence and feedback", () => {
    const body = {
      type: "decision.made",
      iteration: 1,
      decision: { ...decision, feedback: "Look at add.js" },
    } as const;
    expect(log(body)).toEqual([
      "  ↗ score 80%, was 20%",
      "  ◆ continue: iteration 1 of 3 (confidence 100%)",
      "    feedback: Look at add.js",
    ]);
  });

  it("shows a falling or level score, and a first score without comparison", () => {
    expect(log({ type: "decision.made", iteration: 2, decision })[0]).toBe("  ↘ score 30%, was 80%");
    const alone = run({ iterations: [iteration(1, { score: 0.5 })] });
    expect(log({ type: "decision.made", iteration: 1, decision }, alone)[0]).toBe("    score 50%");
    const level = run({ iterations: [iteration(1, { score: 0.5 }), iteration(2, { score: 0.52 })] });
    expect(log({ type: "decision.made", iteration: 2, decision }, level)[0]).toBe("  → score 52%, was 50%");
  });

  const suite = (failed: number) => ({
    gate: "tests",
    verdict: verdict({
      status: "failed",
      score: 1 - failed / 1610,
      tests: { total: 1610, passed: 1610 - failed, failed, skipped: 0 },
    }),
  });
  const judged = (number: number, failed: number) =>
    iteration(number, { verdicts: [suite(failed)], score: 1 - failed / 1610 });

  it("shows counts of failing tests instead of scores when tests are counted", () => {
    const state = run({ baseline: judged(0, 4), iterations: [judged(1, 3), judged(2, 3), judged(3, 5)] });
    const first = (number: number) => log({ type: "decision.made", iteration: number, decision }, state)[0];
    expect([1, 2, 3].map(first)).toEqual([
      "  ↗ 4 → 3 failing",
      "  → 3 failing, as before",
      "  ↘ 3 → 5 failing",
    ]);
    const ascii = createStyle({ color: false, unicode: false });
    const body = event({ type: "decision.made", iteration: 1, decision });
    expect(eventLines(body, state, { style: ascii, columns: 100 })[0]).toBe("  ^ 4 -> 3 failing");
  });

  it("warns when the agent claims success while gates fail", () => {
    const claiming = { ...judged(1, 3), agent: agent({ message: "Looks good.\nAll done." }) };
    const gates = midway.task.gates.slice(0, 1);
    const state = run({ task: task({ gates }), baseline: judged(0, 4), iterations: [claiming] });
    expect(log({ type: "decision.made", iteration: 1, decision }, state)[1]).toBe(
      '  ! the agent said "All done", but these gates are red: tests (failed)',
    );
  });

  it.each([
    [{ continue: true, rollbackTo: 0 }, "  ↶ continue from the baseline: because (confidence 50%)"],
    [{ continue: false, wait: true }, "  ? wait for a person: because (confidence 50%)"],
    [{ continue: false, accept: true }, "  ✔ accept: because (confidence 50%)"],
    [{ continue: false }, "  ■ stop: because (confidence 50%)"],
  ])("%o", (part, line) => {
    const body = {
      type: "decision.made",
      iteration: 1,
      decision: { reason: "because", confidence: 0.5, ...part },
    } as const;
    expect(log(body, run())).toEqual([line]);
  });

  it("truncates a long reason after three lines", () => {
    const reason = "word ".repeat(100);
    const shown = log({ type: "decision.made", iteration: 1, decision: { ...decision, reason } }, run(), 40);
    expect(shown).toHaveLength(3);
    expect(shown.at(-1)).toMatch(/^ {4}word .*…$/);
  });
});

describe("user commands", () => {
  it.each([
    [{ type: "stop", reason: "enough" }, "→ asked to stop: enough"],
    [{ type: "pause" }, "→ asked to pause"],
    [{ type: "steer", text: "use a map" }, "→ asked to steer: use a map"],
    [{ type: "decide", choice: "rollback", iteration: 1 }, "→ asked to roll back to iteration 1"],
    [{ type: "decide", choice: "continue", feedback: "smaller" }, "→ asked to continue: smaller"],
    [{ type: "approve", gate: "review", by: "ann" }, "→ asked to approve review, by ann"],
    [{ type: "reject", gate: "review", by: "ann", message: "no" }, "→ asked to reject review, by ann: no"],
  ] as const)("%o", (command, line) => {
    expect(log({ type: "command.received", queued: { id: 1, command } })).toEqual([line]);
  });
});

describe("interruptions, pauses and waits", () => {
  it("show where the files of an interrupted iteration are saved", () => {
    const body = {
      type: "iteration.interrupted",
      iteration: 3,
      tree: "0123456789abcdef",
      reason: "Ctrl-C",
    } as const;
    expect(log(body)).toEqual([
      "! iteration 3 was interrupted: Ctrl-C",
      "  its files are saved as tree 0123456789ab",
    ]);
  });

  it("show where the previous files are saved after a restore", () => {
    const snapshot = { tree: "a", changes: [], changeCount: 0, omitted: [] };
    const state = run({ baseline: iteration(0, { snapshot }) });
    const body = { type: "workspace.restored", iteration: 0, tree: "a", saved: "0123456789abcdef" } as const;
    expect(log(body, state)).toEqual([
      "  files restored to the baseline, the previous files are saved as tree 0123456789ab",
    ]);
    expect(log({ ...body, tree: "fedcba9876543210" }, state)).toEqual([
      "  files restored to tree fedcba987654, the previous files are saved as tree 0123456789ab",
    ]);
  });

  it("show the resume command after a pause", () => {
    expect(log({ type: "run.paused" }, run({ state: "paused" }))).toEqual([
      "‖ paused",
      "  converge resume k3f9x2ab   continues it",
    ]);
  });

  it("show the reason of an automatic pause", () => {
    const reason = "the disk is full: 0 KiB left in /state; free some space (no room)";
    expect(log({ type: "run.paused", reason }, run({ state: "paused" }))).toEqual([
      `‖ paused: ${reason}`,
      "  converge resume k3f9x2ab   continues it",
    ]);
  });

  it("show the approve command for each gate, with its name shell-quoted", () => {
    const waitingFor = { reason: "approval", gates: ["review", "it's; rm -rf"] };
    expect(log({ type: "run.parked", ...waitingFor }, run({ state: "waiting", waitingFor }))).toEqual([
      "‖ waiting: approval",
      "  converge approve k3f9x2ab review   or reject instead of approve",
      "  converge approve k3f9x2ab 'it'\\''s; rm -rf'   or reject instead of approve",
      "  converge diff k3f9x2ab   shows the changes",
    ]);
  });

  it("show the decide command of a run that waits for a decision", () => {
    const waitingFor = { reason: "your turn", gates: [] };
    expect(log({ type: "run.parked", ...waitingFor }, run({ state: "waiting", waitingFor }))).toEqual([
      "‖ waiting: your turn",
      "  converge decide k3f9x2ab continue   or accept, stop, rollback",
    ]);
  });

  it("drop the explanation before they truncate a command", () => {
    expect(log({ type: "run.paused" }, run({ state: "paused" }), 30)[1]).toBe("  converge resume k3f9x2ab");
  });

  it("show the host, time and limits of a resume", () => {
    expect(log({ type: "run.resumed", host: "box" })).toEqual(["→ resumed on box at 14:03"]);
    expect(log({ type: "run.resumed", host: "box", limits: { iterations: 30, cost: 8 } })).toEqual([
      "→ resumed on box at 14:03 · up to 30 iterations, $8.00",
    ]);
  });
});

describe("the end", () => {
  const scored = (number: number, tree: string, score: number) =>
    iteration(number, { snapshot: { tree, changes: [], changeCount: 0, omitted: [] }, score });
  const end = (
    outcome: "converged" | "diverged",
    { partial = false, reason = "said why", scores = [0.8, 0.5, 0.5], iterations = 20 } = {},
  ): string[] => {
    const ended = { outcome, reason, partial };
    const over = run({
      task: task({ limits: { iterations, iterationMs: 1_800_000, agentFailures: 3 } }),
      state: "ended",
      ended,
      tree: `t${scores.length}`,
      baseline: scored(0, "base", 0),
      iterations: scores.map((score, at) => ({
        ...scored(at + 1, `t${at + 1}`, score),
        agent: { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 1, leftBehind: [] },
      })),
    });
    return log({ type: "run.ended", iterations: scores.length, ...ended }, over);
  };

  it("is one line for a converged run", () => {
    expect(end("converged")).toEqual(["converged after 3 iterations in 1m 12s: said why"]);
  });

  it("shows that a run converged only in part", () => {
    expect(end("converged", { partial: true })[0]).toBe(
      "converged in part after 3 iterations in 1m 12s: said why",
    );
  });

  it("is only the reason for a solved run", () => {
    expect(end("converged", { reason: "solved in iteration 3: all gates pass" })).toEqual([
      "solved in iteration 3: all gates pass (1m 12s)",
    ]);
  });

  it("names a better iteration and the next commands of an unsolved run", () => {
    expect(end("diverged")).toEqual([
      "not solved after 3 iterations in 1m 12s: said why",
      "  better than the last iteration: iteration 1 with score 80%",
      "  Continue with: converge resume k3f9x2ab   from where it ended",
      "  converge restore k3f9x2ab   restores the files of the best iteration",
    ]);
  });

  it("suggests a higher --max-iterations after the limit was reached", () => {
    expect(end("diverged", { iterations: 3 })).toContain(
      "  Continue with: converge resume k3f9x2ab --max-iterations 8   from where it ended",
    );
  });

  it.each([
    ["the last files are the best", [0.2, 0.5, 0.8]],
    ["nothing is better than the base", [0, 0, 0]],
    ["an earlier iteration is only as good", [0.5, 0.2, 0.5]],
  ])("does not offer to restore when %s", (_, scores) => {
    expect(end("diverged", { scores }).join("\n")).not.toMatch(/restore|better than/);
  });
});

it("strips control characters from untrusted text and limits its width", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 80 });
  const nasty = fc.oneof(
    text,
    fc.constant("a\r\nb\u001b[2J\u009b1m\u202e\tz"),
    fc.constant("數🎉e\u0301\u200d"),
  );
  fc.assert(
    fc.property(nasty, fc.integer({ min: 10, max: 120 }), (word, columns) => {
      const failure = { id: word, message: word, location: word };
      const bodies: EventBody[] = [
        started({ prompt: word, agents: [{ type: word }] }),
        {
          type: "agent.finished",
          iteration: 1,
          agent: 0,
          result: agent({ message: word, leftBehind: [word] }),
        },
        { type: "agent.finished", iteration: 1, agent: 0, result: agent({ ok: false, reason: word }) },
        {
          type: "snapshot.taken",
          iteration: 1,
          snapshot: { tree: "a", changes: [{ path: word, kind: "added" }], changeCount: 1, omitted: [word] },
        },
        {
          type: "gate.judged",
          iteration: 1,
          gate: word,
          verdict: verdict({ summary: word, failures: [failure] }),
        },
        { type: "gate.escalated", iteration: 1, gate: word, reason: word },
        {
          type: "decision.made",
          iteration: 1,
          decision: { continue: false, reason: word, confidence: 1, feedback: word },
        },
        { type: "command.received", queued: { id: 1, command: { type: "steer", text: word } } },
        { type: "run.resumed", host: word },
      ];
      for (const line of bodies.flatMap((body) => log(body, midway, columns))) {
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(width(line)).toBeLessThanOrEqual(columns);
      }
    }),
  );
});
