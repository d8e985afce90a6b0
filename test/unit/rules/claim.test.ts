import { describe, expect, it } from "vitest";
import { falseClaim } from "#rules/claim";
import { type ExampleIteration, exampleRun } from "#testing/run";

const claimIn = (iteration: ExampleIteration, strategy: object = { type: "fixed" }) => {
  const run = exampleRun([iteration], { task: { strategy: { type: "fixed", ...strategy } } });
  return falseClaim(run, run.iterations[0] ?? run.baseline);
};
const claimOf = (message: string) => claimIn({ message });

describe("falseClaim", () => {
  it.each([
    ["DONE", "DONE"],
    ["I changed a.ts.\n\nAll done.", "All done"],
    ["Fixed the parser. All tests pass now.", "All tests pass now"],
    ["**Task complete!**", "Task complete"],
    ["✅ Everything works.", "Everything works"],
    ["I'm done.\n", "I'm done"],
    ["The task is now complete.", "The task is now complete"],
    ["The bug is fixed.", "The bug is fixed"],
    ["<promise>it works</promise>", "<promise>it works</promise>"],
  ])("finds the claim in %j", (message, claim) => expect(claimOf(message)).toBe(claim));

  it.each([
    "I will say DONE once it works.",
    'The user wants me to say "All done."',
    "All tests pass but one.",
    "I am not done.",
    "When it works I will say:\n\nAll done.",
    "```\nAll done.\n```",
    "> All done.",
    "All done.\nThen I looked again.\nOne test still fails.\nI do not know why.",
    "",
  ])("finds no claim in %j", (message) => expect(claimOf(message)).toBeUndefined());

  it("ignores a claim that the prompt contains", () => {
    expect(claimIn({ message: "All done.", prompt: "Say at the end:\nAll done." })).toBeUndefined();
  });

  it("ignores failed agents, passing gates, and tasks that trust the agent", () => {
    expect(claimIn({ message: "DONE", ok: false })).toBeUndefined();
    expect(claimIn({ message: "DONE", status: "passed" })).toBeUndefined();
    expect(claimIn({ message: "DONE" }, { type: "ralph", trustSignal: true })).toBeUndefined();
    const criteria = { type: "hybrid", completionCriteria: ["agent-signal"] };
    expect(claimIn({ message: "DONE" }, criteria)).toBeUndefined();
  });

  it("uses the strategy's signals", () => {
    expect(claimIn({ message: "READY" }, { signals: ["READY"] })).toBe("READY");
    expect(claimIn({ message: "READY" })).toBeUndefined();
  });
});
