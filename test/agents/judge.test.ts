// A real agent CLI that works, one that summarizes and one that judges, in a run of the built CLI.
import { expect, it } from "vitest";
import type { Turn } from "../support/model-server/script.ts";
import { MENDS, realRun } from "../support/real-run.ts";
import { ofType } from "../support/sandbox.ts";

it("Claude Code judges and summarizes the work of Claude Code", async () => {
  let worked = 0;
  const script = (_: number, { body }: { readonly body: string }): Turn => {
    const nonce = /nonce[^0-9a-f]{1,12}([0-9a-f]{32})/.exec(body)?.[1];
    if (nonce) return { say: JSON.stringify({ nonce, verdict: "pass", score: 0.9, findings: [] }) };
    if (body.includes("Sum up iteration 1"))
      return { say: "The sum was mended; the product is still wrong." };
    return (MENDS as readonly Turn[])[worked++] ?? { say: "Done." };
  };
  const ran = await realRun("claude", {
    script,
    task: {
      gates: [
        { name: "tests", command: "node --test" },
        { name: "review", type: "judge", agent: "claude", skipIf: { failed: "tests" } },
      ],
      memory: { type: "summarized", by: { agent: "claude" } },
    },
  });
  expect(ran, ran.reason).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  const review = ofType(ran.events, "gate.judged")
    .filter(({ gate }) => gate === "review")
    .at(-1);
  expect(review?.verdict).toMatchObject({ status: "passed", usage: { inputTokens: expect.any(Number) } });
  const [noted] = ofType(ran.events, "memory.noted");
  expect(noted?.note).toMatchObject({ text: "The sum was mended; the product is still wrong." });
  expect(ran.prompts[1]).toContain("The sum was mended; the product is still wrong.");
});
