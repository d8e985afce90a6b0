import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLog } from "#backtest/log";
import { readLogs } from "#backtest/read-logs";
import { sketchOf, sketchSimilarity } from "#strategies/shared/likeness";
import { temporary } from "../../support/folders.ts";

const row = (parts: object = {}) => ({
  id: "a",
  budget: 3,
  iters: [{ score: 0.5 }, { score: 1 }],
  success: true,
  end: "success",
  ...parts,
});
const line = (parts: object = {}) => JSON.stringify(row(parts));

describe("reading a log", () => {
  it("ends the run at the first iteration in which everything passed", () => {
    const iters = [{ score: 0.5, act_hash: "x", fails: ["t"] }, { score: 1 }, { score: 0.2 }];
    const read = readLog(line({ iters, group: "g", model: "m", task: "t", source: "s" }));
    expect(read).toMatchObject({ solved: true, whole: true, source: "s", task: "t" });
    expect(read?.place).toEqual({ workspace: "g", agent: "m" });
    expect(read?.run.iterations).toHaveLength(2);
    expect(read?.run.iterations[0]).toMatchObject({ score: 0.5, snapshot: { tree: "x" } });
    expect(read?.run.task.limits.iterations).toBe(3);
  });

  it("marks truncated runs as incomplete", () => {
    const whole = (end: string) => readLog(line({ iters: [{ score: 0 }], success: false, end }))?.whole;
    expect(["budget", "max_steps", "agent", "error", "timeout"].map(whole)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("generates texts with the logged similarity, and equal texts for equal hashes", () => {
    const iters = [
      { score: 0, out_hash: "a" },
      { score: 0, out_hash: "b", sim_out: 0.5 },
      { score: 0, out_hash: "c", sim_out: 0.97 },
      { score: 0, out_hash: "a", sim_out: 0 },
    ];
    const run = readLog(line({ iters, success: false, end: "budget" }))?.run;
    const texts = run?.iterations.map(({ verdicts }) => sketchOf(verdicts[0]?.verdict.evidence.stdout ?? ""));
    const [a, b, c, again] = texts as [Sketch, Sketch, Sketch, Sketch];
    expect(sketchSimilarity(a, b)).toBeCloseTo(0.5, 1);
    expect(sketchSimilarity(b, c)).toBeGreaterThanOrEqual(0.95);
    expect(again.key).toBe(a.key);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["nothing", "null"],
    ["no id", line({ id: undefined })],
    ["no iterations", line({ iters: [] })],
    ["iterations without a score", line({ iters: [{}] })],
    ["a score beyond 1", line({ iters: [{ score: 2 }] })],
    ["no budget", line({ budget: undefined })],
    ["a budget that is no number", line({ budget: "many" })],
    ["no ending", line({ end: undefined })],
    ["far too many iterations", line({ iters: Array(10_001).fill({ score: 0 }) })],
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("rejects %s", (_, text) => {
    expect(readLog(text)).toBeUndefined();
  });

  it("never throws for any line", () => {
    const value = fc.jsonValue();
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(row()), "x"), value), (parts) => {
        readLog(JSON.stringify(parts));
        readLog(line(parts));
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void readLog(text)));
  });
});

type Sketch = ReturnType<typeof sketchOf>;

describe("reading a folder of logs", () => {
  const folder = (files: Readonly<Record<string, string>>) => {
    const dir = temporary();
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(dir, name), content);
    return dir;
  };

  it("reports lines that are not logs and reads the others; the source is the file name by default", async () => {
    const dir = folder({
      "one.jsonl": `${line()}\nnonsense\n\n${line({ id: "b", source: "named" })}`,
      "two.jsonl": `{}\r\n${line()}\r\n`,
      "notes.txt": "not looked at",
    });
    const { sequences, unread } = await readLogs(dir);
    expect(sequences.map(({ source }) => source)).toEqual(["one", "named", "two"]);
    expect(unread).toEqual([path.join(dir, "one.jsonl:2"), path.join(dir, "two.jsonl:1")]);
  });

  it("skips a line that is too long and continues after it", async () => {
    const dir = folder({ "a.jsonl": `${line({ note: "x".repeat(200_000) })}\n${line({ id: "b" })}\n` });
    const { sequences, unread } = await readLogs(dir, 100_000);
    expect(sequences.map(({ run }) => run.id)).toEqual(["b"]);
    expect(unread).toEqual([path.join(dir, "a.jsonl:1")]);
  });

  it("reads characters that are split across chunks of a file", async () => {
    const id = "日本語 ".repeat(40_000);
    const { sequences } = await readLogs(path.join(folder({ "a.jsonl": line({ id }) }), "a.jsonl"));
    expect(sequences[0]?.run.id).toBe(id);
  });

  it("rejects a folder without logs and a missing path", async () => {
    await expect(readLogs(folder({}))).rejects.toThrow(
      /expected \.jsonl files in .*, but there are none; write/,
    );
    await expect(readLogs("/nowhere")).rejects.toThrow(/there is no \/nowhere/);
  });
});
