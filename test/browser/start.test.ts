import { expect, it } from "vitest";
import { serving } from "../support/serving.ts";
import { stepByStep } from "../support/step-by-step.ts";
import { STEP, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

it("starts a run after fixing a task error at its location, and shows it converge without a reload", async () => {
  const box = threeSteps();
  const agent = stepByStep(box, STEP);
  const { link } = await serving(box);
  const { page } = await visit(link);
  await page.getByRole("link", { name: "Start a run", exact: true }).click();
  await page.getByLabel("Folder to work in").fill(box.dir);
  const task = (gates: string) =>
    [
      "prompt: Take all three steps.",
      `agent: { type: command, command: "${agent.command}" }`,
      `${gates}:`,
      "  - { name: steps, command: ./gate.sh }",
    ].join("\n");

  await page.getByRole("textbox", { name: "Task file" }).fill(task("gatez"));
  const findings = page.getByRole("status", { name: "Validation" });
  await findings.getByText(/gatez/).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Start the run" }).isDisabled()).toBe(true);
  await findings.getByRole("button", { name: /^line 3/ }).click();
  await expect
    .poll(() => page.evaluate("document.activeElement.selectionStart"))
    .toBe(task("gatez").indexOf("gatez"));

  await page.getByRole("textbox", { name: "Task file" }).fill(task("gates"));
  await findings.getByText("The task is valid").waitFor();
  await page.evaluate("window.notReloaded = true");
  await page.getByRole("button", { name: "Start the run" }).click();
  await page.getByRole("heading", { name: "Take all three steps." }).waitFor();
  await page.getByText("Iteration 1: the agent is working").waitFor();
  const curve = (from: string, to: string) =>
    page.getByRole("img", { name: `Convergence curve: from ${from} to ${to}` }).waitFor();
  const cell = (name: string) => page.getByRole("button", { name }).waitFor();
  await cell("Baseline, steps: failed 3 failing");
  for (const [iteration, score] of [
    [1, "2 failing"],
    [2, "1 failing"],
  ] as const) {
    agent.allow(iteration);
    await curve("3 failing at the baseline", `${score} at iteration ${iteration}`);
    await cell(`Iteration ${iteration}, steps: failed ${score}`);
    await page.getByText(`Iteration ${iteration + 1}: the agent is working`).waitFor();
  }
  agent.allow(3);
  await expect.poll(() => page.title()).toBe("converged: Take all three steps. · Converge");
  await curve("3 failing at the baseline", "0 failing at iteration 3, best at iteration 3");
  await cell("Iteration 3, steps: passed 3/3");
  await page.getByText("1 of 1 gates pass").waitFor();
  expect(await page.evaluate("window.notReloaded")).toBe(true);
});

it("updates the list for a run that another process starts", async () => {
  const box = threeSteps();
  const agent = stepByStep(box, STEP);
  const { link } = await serving(box);
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  const args = ["run", "-p", "Take all three steps.", "--agent-cmd", agent.command, "--gate", "./gate.sh"];
  const { answer } = box.start(args);
  const row = page.getByRole("row", { name: /Take all three steps/ });
  await row.getByText("running").waitFor();
  for (const iteration of [1, 2, 3]) agent.allow(iteration);
  await row.getByText("converged").waitFor();
  await row.getByText("3 / 20").waitFor();
  expect((await answer).code).toBe(0);
});
