// Report input with the same text in every field that an agent, a gate, a server or a person can fill.

import type { ReportFacts } from "#report/facts";
import type { Command } from "#spec/command";
import type { Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { exampleGate, exampleRun, exampleTask, exampleVerdict } from "#testing/run";
import { overviewOf } from "#views/overview";
import { progressOf } from "#views/run-view";

const TREE = "a".repeat(40);

function verdicts(text: string): Verdict[] {
  const failure = { id: text, message: text, location: `${text}:3`, expected: text, actual: text };
  const attempts = [{ status: "failed" as const, summary: text }];
  return [
    exampleVerdict({
      summary: text,
      failures: [failure, { message: text }],
      tests: { total: 9, passed: 4, failed: 5, skipped: 0 },
    }),
    exampleVerdict({ status: "errored", summary: text, failures: [{ message: text }] }),
    exampleVerdict({ status: "waiting", summary: text }),
    exampleVerdict({ status: "passed", summary: text, attempts, checks: [{ id: text, status: "warned" }] }),
  ];
}

const commands = (text: string): Command[] => [
  { type: "approve", gate: text, by: text, message: text },
  { type: "steer", text },
  { type: "stop", reason: text },
  { type: "decide", choice: "continue", feedback: text },
];

function runWith(text: string): Run {
  const gates = ["one", "two", "three", "four"].map((name) => exampleGate(`${name} ${text}`));
  const task = exampleTask({
    prompt: text,
    gates: gates.map((gate) => ({ ...gate, use: { type: "command", command: text } })),
    agents: [{ type: "command", command: text }],
    strategy: { type: text },
    memory: { type: text },
    workspace: { type: "in-place", dir: `/${text}` },
    protect: { paths: [{ path: text, grows: false }], action: "restore" },
  });
  const judged = verdicts(text).map((verdict, at) => ({ gate: gates[at]?.name ?? "", verdict }));
  const decision = {
    continue: false,
    wait: true,
    reason: text,
    confidence: 0.5,
    feedback: text,
    metadata: { [text]: [text, 1] },
  };
  const run = exampleRun([{ verdicts: judged, decision, score: 0.4, tree: TREE, message: text }], { task });
  const [first] = run.iterations;
  if (!first?.agent) throw new Error("an iteration has an agent");
  const agent = {
    ...first.agent,
    ok: false,
    failure: "crashed" as const,
    reason: text,
    model: text,
    usage: { costUsd: 0.5, inputTokens: 10 },
  };
  return {
    ...run,
    host: text,
    head: text,
    isolation: { tier: "basic", why: text },
    iterations: [{ ...first, agent }],
    ended: { outcome: "stopped", reason: text, partial: false },
    delivered: { type: "branch", tree: TREE, branch: text, problem: text },
  };
}

export function factsWith(text: string, run: Run = runWith(text)): ReportFacts {
  const overview = overviewOf({ run, progress: progressOf(run) }, []);
  const iterations = [run.baseline, ...run.iterations];
  const final = run.iterations.at(-1);
  const diff = `diff --git a/${text} b/${text}\n--- a/${text}\n+++ b/${text}\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}\n`;
  const from = "2026-01-01T00:00:00.000Z";
  const to = "2026-01-01T00:01:00.000Z";
  return {
    overview: { ...overview, version: text, spans: [{ iteration: 1, kind: "gate", gate: text, from, to }] },
    iterations,
    ...(final && { final }),
    commands: commands(text).map((command) => ({ time: text, command })),
    protectedChanges: [{ iteration: 1, action: "restore", diff, changes: [{ path: text, kind: "changed" }] }],
    diffs: [
      { text: diff, files: 1, cut: true },
      { iteration: 1, text: diff, files: 1, cut: false },
    ],
    madeAt: to,
  };
}
