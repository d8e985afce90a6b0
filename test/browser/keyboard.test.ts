import { expect, it } from "vitest";
import { sandbox } from "../support/sandbox.ts";
import { serving } from "../support/serving.ts";
import { STEPS_GATE, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

const HANGS = { prompt: "Wait for me.", agent: { type: "command", command: "sleep 300" }, gates: ["false"] };

it("opens and stops a run with the keyboard alone", async () => {
  const box = sandbox();
  const { link, ask } = await serving(box);
  await ask("/runs", { task: HANGS, dir: box.dir });
  const { page } = await visit(link);
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 60; steps++) {
      await page.keyboard.press("Tab");
      if ((await focused()) === name) return;
    }
    throw new Error(`${name} cannot be reached by Tab`);
  };
  await page.getByRole("row", { name: /Wait for me/ }).waitFor();
  await tabTo("Wait for me.");
  await page.keyboard.press("Enter");
  await page.getByText("Iteration 1: the agent is working").waitFor();
  await tabTo("Stop …");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Stop this run?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await expect.poll(() => focused()).toBe("Stop …");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("no longer needed");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.title()).toMatch(/^stopped:/);
  await page
    .getByText(/no longer needed/)
    .first()
    .waitFor();
});

it("moves between runs and iterations by shortcuts, and lists them", async () => {
  const box = threeSteps();
  const task = (prompt: string) => ({
    prompt,
    agent: { type: "command", command: `echo "$CONVERGE_ITERATION" > steps; echo ${prompt} > last` },
    gates: [STEPS_GATE],
    requireChange: true,
  });
  const { link, ask } = await serving(box);
  const { page } = await visit(link);
  for (const prompt of ["First.", "Second."]) {
    await ask("/runs", { task: task(prompt), dir: box.dir });
    await page.getByRole("row", { name: prompt }).getByText("converged").waitFor();
  }
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await page.keyboard.press("j");
  await expect.poll(() => focused()).toBe("Second.");
  await page.keyboard.press("j");
  await expect.poll(() => focused()).toBe("First.");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Iteration 3: 1 → 0 failing" }).waitFor();
  await page.keyboard.press("k");
  await page.getByRole("heading", { name: "Iteration 2: 2 → 1 failing" }).waitFor();
  await page.keyboard.press("b");
  await page.getByRole("heading", { name: "Iteration 3: 1 → 0 failing" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("best iteration").waitFor();
});
