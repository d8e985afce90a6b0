import { expect, it } from "vitest";
import { runTask } from "../support/run-task.ts";

it("reports the output of a script under make, not make's own error", async () => {
  const { prompts, box } = await runTask(
    {
      agent: { type: "scripted", iterations: [[]] },
      gates: [{ name: "tests", command: "make test" }],
      strategy: { type: "fixed", iterations: 1 },
    },
    {
      Makefile: "test:\n\t@sh ./check.sh\n",
      "check.sh": `echo "FAIL 1900: want no, got yes"\n${"echo ok\n".repeat(400)}exit 1\n`,
    },
  );
  expect(prompts[0]).toContain("| FAIL 1900: want no, got yes\n");
  expect(prompts[0]).not.toContain("***");
  const shown = await box.converge("watch", "last");
  expect(shown.stdout).toContain("      FAIL 1900: want no, got yes");
  expect(shown.stdout).not.toContain("***");
});
