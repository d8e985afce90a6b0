import { once } from "node:events";
import { expect, it } from "vitest";
import { ofType } from "../support/sandbox.ts";
import { serving } from "../support/serving.ts";
import { stepByStep } from "../support/step-by-step.ts";
import { STEP, STEPS_GATE, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

it("reconnects after the server is killed and restarted, while the run continues undisturbed", async () => {
  const box = threeSteps();
  const agent = stepByStep(box, STEP);
  const server = await serving(box);
  const task = { prompt: "Go.", agent: { type: "command", command: agent.command }, gates: [STEPS_GATE] };
  const { id } = await server.ask<{ id: string }>("/runs", { task, dir: box.dir });
  const { page } = await visit(server.link);
  const list = await page.context().newPage();
  await list.goto(`${server.url}/#/`);
  await list.getByRole("row", { name: /Go\./ }).getByText("running").waitFor();
  await page.goto(`${server.url}/#/runs/${id}`);
  await page.getByText("Iteration 1: the agent is working").waitFor();
  // The page has loaded completely: nothing more can be fetched from a dead server.
  await page.locator(".chart canvas").first().waitFor();
  await page.evaluate("window.notReloaded = true");

  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  await page.getByText("Reconnecting … what you see may be out of date.").waitFor();
  await list.getByText("Reconnecting …").waitFor();
  for (const iteration of [1, 2]) agent.allow(iteration);
  await expect.poll(() => box.read("steps")).toBe("2\n");

  const again = await serving(box, server.port);
  await page.getByText("Iteration 3: the agent is working").waitFor();
  await page.getByRole("button", { name: "Iteration 2, steps: failed 1 failing" }).waitFor();
  await page.getByText("Reconnecting …").waitFor({ state: "hidden" });
  await list.getByRole("row", { name: /Go\./ }).getByText("3 / 20").waitFor();
  agent.allow(3);
  await expect.poll(() => page.title()).toMatch(/^converged:/);
  await list.getByRole("row", { name: /Go\./ }).getByText("converged").waitFor();
  expect(await page.evaluate("window.notReloaded")).toBe(true);

  const { events } = await again.ask<{ events: Parameters<typeof ofType>[0] }>(`/runs/${id}/events`);
  expect(ofType(events, "iteration.started").map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  expect(ofType(events, "iteration.interrupted")).toEqual([]);
  expect(ofType(events, "run.resumed")).toEqual([]);
});

it("loads a view whose code could not be fetched as soon as the server is back", async () => {
  const box = threeSteps();
  const server = await serving(box);
  const { page } = await visit(server.link);
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  await page.getByRole("link", { name: "Learned" }).click();
  await page.getByText("Cannot load this view").waitFor();
  await serving(box, server.port);
  await page.getByRole("heading", { name: /learned/i, level: 1 }).waitFor();
});
