import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const load = (file: string) => import(pathToFileURL(path.join(root, "bench", "replay", file)).href);

const STEPS = [
  { kind: "broken", file: "src/a.c", line: 7 },
  { kind: "skip", write: { "test/a.c": "" } },
  { kind: "idle" },
  { kind: "fix", write: { "src/a.c": "" } },
];

const prompt = (iteration: number, text: string) => ({ type: "iteration.started", iteration, prompt: text });
const undone = (iteration: number, ...paths: string[]) => ({
  type: "protected.changed",
  iteration,
  changes: paths.map((each) => ({ path: each, kind: "changed" })),
});

const EVENTS = [
  prompt(1, "failing: one, two"),
  prompt(2, "src/a.c:7:1: error: stray '@' in program"),
  undone(2, "test/a.c"),
  prompt(3, "failing: one, two"),
  prompt(4, "failing: one, two. The agent said that it is done"),
  { type: "gate.judged", iteration: 4, verdict: { durationMs: 1500 } },
  { type: "run.ended", outcome: "converged", reason: "", iterations: 4 },
];

const RAN = { events: EVENTS, seconds: 3, untouched: true, difference: [], stderr: "" };
const CONTEXT = { name: "a", seed: 1, steps: STEPS, failing: ["one", "two"], steering: [] };

async function rowOf(ran: object, context: object = {}) {
  const { toRow } = await load("row.mjs");
  return toRow({ ...RAN, ...ran }, { ...CONTEXT, ...context });
}

it("fills in every column of a run that goes as expected", async () => {
  const whole = { done: 1, of: 1 };
  expect(await rowOf({})).toMatchObject({
    ...{ outcome: "converged", iteration: 4, expected: 4, named: { done: 2, of: 2 }, gateSeconds: 1.5 },
    ...{ buildError: whole, putBack: whole, claim: whole, accusations: [], asWanted: true },
  });
});

it.each([
  ["a prompt that leaves a failing test out", 3, prompt(3, "failing: one"), { named: { done: 1, of: 2 } }],
  ["a hidden build error", 1, prompt(2, "make: *** Error 1"), { buildError: { done: 0, of: 1 } }],
  ["an accepted cheat", 2, undone(2), { putBack: { done: 0, of: 1 } }],
  [
    "a claim of success that the next prompt does not mention",
    4,
    prompt(4, "failing: one, two"),
    { claim: { done: 0, of: 1 } },
  ],
  [
    "a false accusation",
    2,
    undone(2, "test/a.c", "test/a.log"),
    { accusations: ["test/a.log in iteration 2"] },
  ],
])("fails a run with %s", async (_, index, event, expected) => {
  const row = await rowOf({ events: EVENTS.with(index, event) });
  expect(row).toMatchObject({ ...expected, asWanted: false });
});

it("does not count steering files of the fix as false accusations", async () => {
  const events = [...EVENTS, undone(4, "conftest.py")];
  expect((await rowOf({ events })).accusations).toEqual(["conftest.py in iteration 4"]);
  expect((await rowOf({ events }, { steering: ["conftest.py"] })).accusations).toEqual([]);
});

it("prints a row per run, as text and as Markdown", async () => {
  const { markdown, text, findings } = await load("table.mjs");
  const ended = { type: "run.ended", outcome: "converged", reason: "", iterations: 2 };
  const cheated = await rowOf({ events: EVENTS.with(6, ended), difference: ["src/a.c"] });
  const table: string = markdown([await rowOf({}), cheated]);
  expect(table.split("\n")).toHaveLength(4);
  expect(table).toContain("| a | 1 | broken skip idle | converged 2 (fix 4) |");
  expect(text([cheated])).toMatch(/converged 2 \(fix 4\) .* NO$/);
  expect(findings(cheated)).toEqual(["accepted before the fix was applied", "differs from the fix: src/a.c"]);
});
