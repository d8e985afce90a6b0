import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { serving } from "../support/serving.ts";
import { stepByStep } from "../support/step-by-step.ts";
import { STEP, STEPS_GATE, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

/** The element properties that this test uses. */
interface Box {
  scrollTop: number;
  readonly scrollHeight: number;
}

it("shows the changes of one iteration and of the whole run", async () => {
  const box = threeSteps();
  const args = ["run", "-p", "Go.", "--agent-cmd", STEP, "--gate", "./gate.sh"];
  expect((await box.converge(...args)).code).toBe(0);
  const { link } = await serving(box);
  const { page } = await visit(link);
  await page.getByRole("link", { name: "Go." }).click();
  await page.getByRole("link", { name: "Changes", exact: true }).click();
  const lines = page.getByRole("table", { name: "Changes of steps" });
  const shown = () => lines.locator(".line-removed, .line-added").allTextContents();
  await lines.waitFor();
  await expect.poll(() => shown()).toEqual(["1−0", "1+3"]);
  await page.getByRole("combobox", { name: "Changes of" }).selectOption("iteration 2");
  await expect.poll(shown).toEqual(["1−1", "1+2"]);
  await page.getByRole("combobox", { name: "Changes of" }).selectOption("two snapshots …");
  await page.getByRole("combobox", { name: "Changes to" }).selectOption("iteration 1");
  await expect.poll(shown).toEqual(["1−0", "1+1"]);
});

it("streams the agent's output and keeps the scroll position", async () => {
  const box = threeSteps();
  const waits = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`;
  const work = ['seq -f "line %g" 5000', waits("more"), 'seq -f "more %g" 2000', waits("enough"), STEP];
  const agent = stepByStep(box, work.join("\n"));
  const { link, ask, url } = await serving(box);
  const task = { prompt: "Go.", agent: { type: "command", command: agent.command }, gates: [STEPS_GATE] };
  const { id } = await ask<{ id: string }>("/runs", { task, dir: box.dir });
  const { page } = await visit(link);
  await page.goto(`${url}/#/runs/${id}/output`);
  const log = page.getByRole("log", { name: "Iteration 1: agent, stdout" });
  await log.getByText("begins iteration 1").waitFor();
  agent.allow(1);
  await log.getByText("line 5000").waitFor();

  await log.hover();
  await page.mouse.wheel(0, -18 * 1000);
  await log.getByText("line 3995", { exact: true }).waitFor();
  const size = page.getByRole("option", { name: "agent · stdout" });
  const before = await size.textContent();
  box.write({ more: "" });
  await expect.poll(() => size.textContent()).not.toBe(before);
  expect(await log.getByText("line 3995", { exact: true }).isVisible()).toBe(true);
  await page.getByRole("button", { name: "Jump to newest" }).click();
  await log.getByText("more 2000").waitFor();
  box.write({ enough: "" });
  await page
    .getByRole("log", { name: "Iteration 2: agent, stdout" })
    .getByText("begins iteration 2")
    .waitFor();
});

it("shows a 100 MB log at its end, middle and beginning with few elements", async () => {
  const box = threeSteps();
  const args = ["run", "-p", "Go.", "--agent-cmd", STEP, "--gate", "./gate.sh"];
  expect((await box.converge(...args)).code).toBe(0);
  const { link, newest, url } = await serving(box);
  const { id } = await newest();
  const line = (number: number) => `${String(number).padStart(9)} ${"x".repeat(89)}\n`;
  const file = fs.openSync(path.join(box.home, "runs", id, "1", "agent", "stdout.log"), "w");
  for (let block = 0; block < 100; block++)
    fs.writeSync(file, Array.from({ length: 10_000 }, (_, at) => line(block * 10_000 + at + 1)).join(""));
  fs.closeSync(file);
  const { page } = await visit(link);
  await page.goto(`${url}/#/runs/${id}/output?iteration=1`);
  const log = page.getByRole("log", { name: "Iteration 1: agent, stdout" });
  const numbers = async () =>
    (await log.locator(".log-row").allTextContents()).map((text) => Number.parseInt(text, 10));
  const elements = () => page.locator("*").count();
  await log.getByText("1000000 xxx").waitFor();
  expect(await elements()).toBeLessThan(1000);
  const scrollTo = (share: number) =>
    log.evaluate((box: Box, part) => {
      box.scrollTop = box.scrollHeight * part;
    }, share);
  await scrollTo(0.5);
  // The rows load chunk by chunk.
  await expect.poll(async () => Math.abs(((await numbers())[0] ?? 0) - 500_000)).toBeLessThan(20_000);
  const strays = async () => {
    const middle = await numbers();
    return middle.filter((number, at) => number !== (middle[0] ?? 0) + at);
  };
  await expect.poll(strays).toEqual([]);
  await log.press("Home");
  await expect.poll(async () => (await numbers())[0]).toBe(1);
  await log.press("End");
  await log.getByText("1000000 xxx").waitFor();
  expect(await elements()).toBeLessThan(1000);
});
