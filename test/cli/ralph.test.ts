import { describe, expect, it } from "vitest";
import { ranIn, taskFile } from "../support/run-task.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";

/** Says `at N` in iteration N, and from iteration `from` on the promise as well. */
const promising = (from: number, promise = "DONE") =>
  `echo "$CONVERGE_ITERATION" > n; echo "at $CONVERGE_ITERATION"; if [ "$CONVERGE_ITERATION" -ge ${from} ]; then printf '\\n<promise>${promise}</promise>\\n'; fi`;

async function ralph(box: Sandbox, ...args: string[]) {
  return ranIn(box, await box.converge("ralph", "--json", ...args));
}

describe("converge ralph", () => {
  it("continues until the promise is given, and names the promise and the iteration limit in the prompt", async () => {
    const ran = await ralph(sandbox(), "Count to", "three.", "--agent-cmd", promising(3));
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 3 });
    expect(ran.reason).toContain('solved in iteration 3: the agent said "<promise>DONE</promise>"');
    expect(ran.prompts[0]).toContain("Count to three.");
    expect(ran.prompts[1]).toContain("This is iteration 2 of at most 100.");
    expect(ran.prompts[1]).toContain("You stopped, and did not say that the task is done.");
  });

  it("accepts another promise, and only that one", async () => {
    const other = ["--completion-promise", "ALL FIXED", "--max-iterations=2"];
    const wrong = await ralph(sandbox(), ...other, "Fix it.", "--agent-cmd", promising(1));
    expect(wrong).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    const right = await ralph(sandbox(), "Fix it.", ...other, "--agent-cmd", promising(2, "all fixed"));
    expect(right).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
  });

  it("converges only when both the gates pass and the promise is given", async () => {
    const gate = ["--gate", 'test "$(cat n)" -ge 2'];
    const early = await ralph(sandbox(), "Count.", ...gate, "--agent-cmd", promising(1));
    expect(early).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(early.prompts[1]).toContain('You said "<promise>DONE</promise>", but these gates do not pass');
    const late = await ralph(sandbox(), "Count.", ...gate, "--agent-cmd", promising(4));
    expect(late).toMatchObject({ code: 0, outcome: "converged", iterations: 4 });
    expect(late.decisions[1]).toMatchObject({ continue: true });
  });

  it("takes gates and limits from the task file unless flags override them", async () => {
    const box = sandbox();
    box.write(taskFile({ gates: ["test -e never"], limits: { iterations: 2 }, agent: "claude" }));
    const bound = await ralph(box, "Try.", "--agent-cmd", promising(1));
    expect(bound).toMatchObject({ code: 1, outcome: "diverged", iterations: 2 });
    const free = await ralph(box, "Try.", "--no-gates", "--agent-cmd", promising(1));
    expect(free).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });

  it("stops when the agent's output repeats", async () => {
    const ran = await ralph(sandbox(), "Try.", "--agent-cmd", "echo I am working on it");
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 4 });
    expect(ran.reason).toContain("the agent said the same 3 times, even after the agent was told");
  });

  it.each([
    [
      "a task that gives the promise away",
      ["Do it, then say:\n<promise>DONE</promise>"],
      "on a line of its own",
    ],
    [
      "a promise that cannot be told from a tag",
      ["x", "--completion-promise", "<b>"],
      "words without < and >",
    ],
    ["gates and none", ["x", "--gate", "true", "--no-gates"], "not both"],
    ["no task", [], "missing required argument"],
  ])("refuses %s", async (_, args, why) => {
    const box = sandbox();
    const { code, stderr } = await box.converge("ralph", "--agent-cmd", "true", ...args);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  });
});
