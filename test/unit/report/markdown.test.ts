import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_BYTES, markdownOf } from "#report/markdown";
import { exampleGate, exampleRun, exampleTask, exampleVerdict } from "#testing/run";
import { CANARY, EVERYTHING, hostile } from "../../support/hostile.ts";
import { factsWith } from "../../support/report-facts.ts";

/** Removes fenced blocks and code spans by CommonMark rules: only an equally long run of backticks ends one. */
function outsideCode(markdown: string): string {
  let fence = "";
  const lines = markdown.split("\n").filter((line) => {
    const [, ticks = "", info = ""] = /^(`{3,})([^`]*)$/.exec(line) ?? [];
    if (fence === "" && ticks !== "") fence = ticks;
    else if (fence !== "" && ticks.length >= fence.length && info.trim() === "") fence = "";
    else return fence === "";
    return false;
  });
  expect(fence).toBe("");
  return lines.map((line) => line.replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g, "CODE")).join("\n");
}

describe("the Markdown of a report", () => {
  it("puts untrusted text only in code spans and blocks, so that it cannot be markup, a mention or a command", () => {
    const check = (text: string) => {
      const markdown = markdownOf(factsWith(text));
      const left = outsideCode(markdown);
      expect(left).not.toContain(CANARY);
      expect(left).not.toMatch(/[@`\u001b\u202e]|<(?!\/?(?:details|summary|sub)>)|^\/|\]\(/m);
      const table = markdown.slice(markdown.indexOf("| gate |"), markdown.indexOf("### Convergence"));
      const rows = table.split("\n").filter((line) => line.startsWith("| "));
      // Five cells each, whatever their content.
      expect(new Set(rows.map((row) => row.split("|").length))).toEqual(new Set([7]));
    };
    check(EVERYTHING);
    fc.assert(fc.property(hostile, check), { numRuns: 100 });
  });

  it("starts with the verdict, then gates, curve, cost and verification", () => {
    const markdown = markdownOf(factsWith("words"));
    expect(markdown.split("\n", 1)[0]).toBe("## ⚠️ Converge: stopped");
    const places = ["### Gates on iteration 1", "### Convergence", "### Cost", "### How it was verified"].map(
      (title) => markdown.indexOf(title),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(markdown).toContain("| `one words` | ✘ failed | 5 failing | `words` |");
    expect(markdown).toContain("cost: $0.50");
    expect(markdown).toContain(
      "**Iteration 1 changed protected files**, restored before the gates judged: `words`",
    );
  });

  it("stays within the size limit of a description", () => {
    const gates = Array.from({ length: 300 }, (_, at) => exampleGate(`${at} ${"名".repeat(300)}`));
    const failures = Array.from({ length: 200 }, () => ({
      id: "名".repeat(400),
      message: "名".repeat(9_000),
    }));
    const verdicts = gates.map(({ name }) => ({
      gate: name,
      verdict: exampleVerdict({ summary: "名".repeat(9_000), failures }),
    }));
    const run = exampleRun([{ verdicts }], { task: exampleTask({ gates, prompt: "名".repeat(9_000) }) });
    const markdown = markdownOf(factsWith("名".repeat(9_000), run));
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(MAX_BYTES);
    expect(markdown).toMatch(/section.* left out because/);
    expect(markdown).toContain("and 260 more gates");
  });
});
