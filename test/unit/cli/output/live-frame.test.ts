import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liveFrame } from "#cli/output/live-frame";
import type { FrameInput } from "#cli/output/live-frame-rows";
import { createStyle } from "#cli/output/style";
import { width } from "#cli/output/width";
import { anyCharacter } from "../../../support/any-character.ts";
import {
  gateProgress,
  iteration,
  midway,
  midwayProgress,
  NOW,
  progress,
  run,
  TIME,
  task,
} from "../samples.ts";

const bare = createStyle({ color: false, unicode: true });
const colored = createStyle({ color: true, unicode: true });

const input = (part: Partial<FrameInput> = {}): FrameInput => ({
  run: midway,
  progress: midwayProgress,
  activity: ["Reading src/add.js", "", "  const sum = a - b; // 数字 🎉", "Running npm test"],
  now: NOW + 64_900,
  columns: 100,
  rows: 30,
  style: bare,
  spinner: 3,
  ...part,
});

describe("the panel", () => {
  it("shows a running run with aligned columns", () => {
    expect(liveFrame(input())).toEqual([
      "── k3f9x2ab · running · Make the tests pass without changing them. ─────────────────────────────────",
      "⠸ iteration 3 of 20 · agent 1m 04s",
      "  score     ▂▆▃  30%   ████░░░░░░░░░░░░  ↘ regressing · best 80% (#1)",
      "✘ tests     ▃▅▅  3/5   3 passed, 2 failed",
      "! lint      ▁█▁        eslint: not found",
      "  used      5m 16s of 1h 00m · 132k of 500k tokens · $0.42 of $5.00 · about 3 iterations to go",
      "→ decision  continue · confidence 90% · the best score so far rose by 0.60, a bonus iteration is gr…",
      "│ Reading src/add.js",
      "│   const sum = a - b; // 数字 🎉",
      "│ Running npm test",
      "│",
      "│",
      "Ctrl-C stops · the run can be resumed",
    ]);
  });

  it("shows failing tests instead of a score that hardly moves", () => {
    const scores = [0.9975, 0.9981];
    const counted = { ...midwayProgress, scores, overall: 0.9981, failing: { before: 4, now: 3 } };
    const rows = liveFrame(input({ progress: { ...counted, trend: "improving" } }));
    expect(rows[2]).toBe("  failing   ▇▇   4 → 3  ███████████████░  ↗ improving · best #1");
    const same = liveFrame(input({ progress: { ...counted, failing: { before: 3, now: 3 } } }));
    expect(same[2]).toContain("  3     ██");
  });

  it("fits into 40 columns", () => {
    expect(liveFrame(input({ columns: 40, rows: 12 }))).toEqual([
      "── k3f9x2ab · running · Make the te… ───",
      "⠸ iteration 3 of 20 · agent 1m 04s",
      "  score     ▂▆▃  30%   ██░░░░░░  ↘",
      "✘ tests     ▃▅▅  3/5   3 passed, 2 fail…",
      "! lint      ▁█▁        eslint: not found",
      "  used      5m 16s of 1h 00m",
      "→ continue (90%): the best score so far…",
      "│ Reading src/add.js",
      "│   const sum = a - b; // 数字 🎉",
      "│ Running npm test",
      "Ctrl-C stops · the run can be resumed",
    ]);
  });

  it("is at most 120 columns wide", () => {
    expect(width(liveFrame(input({ columns: 200 }))[0] ?? "")).toBe(120);
  });

  it("has an ASCII form", () => {
    const ascii = createStyle({ color: false, unicode: false });
    const shown = liveFrame(input({ style: ascii, activity: ["Reading"], rows: 9 }));
    expect(shown).toEqual([
      "-- k3f9x2ab - running - Make the tests pass without changing them. ---------------------------------",
      "\\ iteration 3 of 20 - agent 1m 04s",
      "  score     .*-  30%   ####............  v regressing - best 80% (#1)",
      "x tests     -++  3/5   3 passed, 2 failed",
      "! lint      _@_        eslint: not found",
      "  used      5m 16s of 1h 00m - 132k of 500k tokens - $0.42 of $5.00 - about 3 iterations to go",
      "> decision  continue - confidence 90% - the best score so far rose by 0.60, a bonus iteration is ...",
      "Ctrl-C stops - the run can be resumed",
    ]);
  });

  it("shows an empty baseline with a spinner at the running gate", () => {
    const phase = { name: "gate", gate: "tests", since: TIME } as const;
    expect(
      liveFrame(input({ run: run(), progress: progress({ phase }), now: NOW + 4000, rows: 9, activity: [] })),
    ).toEqual([
      "── k3f9x2ab · running · Make the tests pass without changing them. ─────────────────────────────────",
      "⠸ baseline · gate tests 4s",
      "  score     –     ░░░░░░░░░░░░░░░░",
      "⠸ tests",
      "  lint",
      "  used      1m 16s",
      "│",
      "Ctrl-C stops · the run can be resumed",
    ]);
  });

  it("shows at most six rows of gates and counts the hidden gates that did not pass", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const byGate = names.map((name) => gateProgress(name, { status: name === "h" ? "failed" : "passed" }));
    const shown = liveFrame(input({ progress: progress({ byGate }) }));
    expect(shown.filter((line) => line.startsWith("✔"))).toHaveLength(5);
    expect(shown).toContain("  +3 more, 1 not passed");
    const green = byGate.map((gate) => ({ ...gate, status: "passed" as const }));
    expect(liveFrame(input({ progress: progress({ byGate: green }) }))).toContain("  +3 more, all passed");
  });
});

it("fits the newest points of a long score history into 80 columns", () => {
  const scores = Array.from({ length: 40 }, (_, index) => index / 39);
  const grown = {
    ...midwayProgress,
    scores,
    overall: 1,
    trend: "improving",
    best: { iteration: 39, score: 1 },
  } as const;
  expect(liveFrame(input({ progress: grown, columns: 80 }))[2]).toBe(
    "  score     ▆▆▆▆▇▇▇▇▇█  100%  ████████████████  ↗ improving · best 100% (#39)",
  );
});

it("names no best iteration while none beats the baseline", () => {
  const worse = { ...midwayProgress, best: { iteration: 0, score: 0.5 } } as const;
  expect(liveFrame(input({ progress: worse }))[2]).not.toContain("best");
});

describe("the headline", () => {
  const headline = (part: Partial<FrameInput>): string | undefined => liveFrame(input(part))[1];
  const at = (name: "snapshot" | "decision" | "delayed" | "waiting" | "paused" | "ended") =>
    progress({ iteration: 2, phase: { name, since: TIME } });

  it.each([
    ["snapshot", "⠸ iteration 2 of 20 · snapshot 1m 04s"],
    ["decision", "⠸ iteration 2 of 20 · deciding 1m 04s"],
    ["delayed", "⠸ iteration 2 of 20 · agent waits 1m 04s"],
  ] as const)("shows the phase %s", (name, line) => expect(headline({ progress: at(name) })).toBe(line));

  it("shows until when a delayed agent waits", () => {
    const delayed = run({ iterations: [iteration(2, { delayedUntil: "2030-01-02T14:05:00" })] });
    expect(headline({ run: delayed, progress: at("delayed") })).toBe(
      "⠸ iteration 2 of 20 · agent waits until 14:05 (55s left)",
    );
  });

  it("shows a pending stop or pause request", () => {
    expect(headline({ run: run({ stopping: "enough" }) })).toBe(
      "⠸ iteration 3 of 20 · agent 1m 04s · stopping",
    );
    expect(headline({ run: run({ pausing: true }) })).toBe("⠸ iteration 3 of 20 · agent 1m 04s · will pause");
  });

  it("shows the deadline and commands of a waiting run, hides old output and stops its clock", () => {
    const until = new Date(NOW + 7_264_900).toISOString();
    const waitingFor = { reason: "review: friendly? (0 of 1 approvals)", gates: ["review"], until };
    const waiting = run({ state: "waiting", waitingFor });
    const shown = liveFrame(input({ run: waiting, progress: at("waiting") }));
    expect(shown[1]).toBe("⠸ iteration 2 of 20 · waiting for a person 1m 04s · until 16:04 (2h 00m left)");
    expect(shown).toContain("  used      1m 12s");
    expect(shown.slice(-5)).toEqual([
      "│ review: friendly? (0 of 1 approvals)",
      "in another terminal:",
      "  converge approve k3f9x2ab review   or reject instead of approve",
      "  converge diff k3f9x2ab   shows the changes",
      "goes on by itself once there is an answer; Ctrl-C stops",
    ]);
    expect(shown.join("\n")).not.toContain("Reading src/add.js");
  });

  it("shows a paused run without a spinner and with the resume command", () => {
    const shown = liveFrame(input({ run: run({ state: "paused" }), progress: at("paused") }));
    expect(shown[1]).toBe("‖ iteration 2 of 20 · paused 1m 04s");
    expect(shown.at(-1)).toBe("converge resume k3f9x2ab   continues it");
    expect(shown.join("\n")).not.toContain("│");
  });

  it("shows the reason of an ended run", () => {
    const ended = { outcome: "converged", reason: "all gates passed", partial: false } as const;
    const shown = liveFrame(input({ run: run({ state: "ended", ended }), progress: at("ended") }));
    expect(shown[1]).toBe("✔ iteration 2 of 20 · all gates passed");
    expect(shown[0]).toMatch(/^── k3f9x2ab · converged · /);
  });
});

const nasty = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(
    "\u001b[2J\u001b]0;title\u0007x",
    "line\r\nline\u2028line",
    "\u202eabc\u2066",
    "👩‍👩‍👧‍👦 数字を足す ✔️",
    `z${"\u0301".repeat(500)}`,
  ),
);

const anything = fc.record({
  text: nasty,
  columns: fc.integer({ min: 1, max: 220 }),
  rows: fc.integer({ min: 1, max: 40 }),
  gates: fc.nat(9),
  status: fc.constantFrom("passed", "failed", "waiting", "skipped", "errored"),
  state: fc.constantFrom("running", "paused", "waiting"),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
  unicode: fc.boolean(),
});

describe("with arbitrary texts and terminal sizes", () => {
  const framed = (
    given: typeof anything extends fc.Arbitrary<infer Value> ? Value : never,
    color: boolean,
  ): string[] => {
    const { text, status, state, score } = given;
    const scores = Array<number>(given.gates).fill(score);
    const byGate = scores.map((_, index) =>
      gateProgress(text + index, { status, summary: text, scores, score }),
    );
    const decision = { continue: true, reason: text, confidence: score };
    const waitingFor = { reason: text, gates: [text] };
    return liveFrame({
      ...input(),
      run: run({
        id: text,
        state,
        waitingFor,
        task: task({ prompt: text }),
        iterations: [iteration(1, { decision })],
      }),
      progress: {
        ...midwayProgress,
        byGate,
        scores,
        overall: score,
        phase: { name: "gate", gate: text, since: text },
      },
      activity: [text, text, text],
      columns: given.columns,
      rows: given.rows,
      style: createStyle({ color, unicode: given.unicode }),
    });
  };

  it("fits the terminal width and leaves one row free", () => {
    fc.assert(
      fc.property(anything, (given) => {
        const shown = framed(given, true);
        expect(shown.length).toBeLessThanOrEqual(given.rows - 1);
        for (const line of shown)
          expect(width(stripVTControlCharacters(line))).toBeLessThanOrEqual(given.columns);
      }),
    );
  });

  it("emits no control characters except its own colours", () => {
    fc.assert(
      fc.property(anything, (given) => {
        for (const line of framed(given, true))
          expect(line.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it("emits no escape sequences without colour", () => {
    fc.assert(
      fc.property(anything, (given) => {
        expect(framed(given, false).join("")).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

it("prints the same text with and without colour", () => {
  const painted = liveFrame(input({ style: colored }));
  expect(painted.join("")).toContain("\u001b[31m✘\u001b[39m");
  expect(painted.map(stripVTControlCharacters)).toEqual(liveFrame(input()));
});
