import { describe, expect, it } from "vitest";
import { numbersIn } from "../support/folders.ts";
import { isAlive } from "../support/processes.ts";
import { taskFile } from "../support/run-task.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { type Serving, serving } from "../support/serving.ts";
import { stepByStep } from "../support/step-by-step.ts";
import { STEP, STEPS_GATE, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";
import { waitFor } from "../support/wait.ts";

/** A run that the page's server drives, and a page that shows it. */
async function watching(box: Sandbox, task: object): Promise<Serving & Awaited<ReturnType<typeof visit>>> {
  const server = await serving(box);
  const { id } = await server.ask<{ id: string }>("/runs", {
    task: { prompt: "Do it.", ...task },
    dir: box.dir,
  });
  const visited = await visit(server.link);
  await visited.page.goto(`${server.url}/#/runs/${id}`);
  return { ...server, ...visited };
}

/** The same with an agent that waits for `allow`, in its first iteration. */
async function watchingSteps() {
  const box = threeSteps();
  const agent = stepByStep(box, STEP);
  const { page } = await watching(box, {
    agent: { type: "command", command: agent.command },
    gates: [STEPS_GATE],
  });
  await page.getByText("Iteration 1: the agent is working").waitFor();
  return { page, agent, box };
}

const COUNTING = { type: "command", command: 'echo "$CONVERGE_ITERATION" > n' };

describe("a gate that waits for a person", () => {
  const task = (gate: object = {}) => ({
    agent: COUNTING,
    gates: [
      { name: "work", command: "test -e n" },
      { name: "review", type: "approval", message: "Is it safe?", ...gate },
    ],
    limits: { iterations: 2 },
  });

  it("is approved, and the run continues", async () => {
    const { page } = await watching(sandbox(), task());
    const form = page.getByRole("form", { name: "Answer for review" });
    await page.getByText("Is it safe?").first().waitFor();
    await form.getByLabel("Your name").fill("Ann");
    await form.getByLabel("Message").fill("looked at every line");
    await form.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => page.title()).toMatch(/^converged:/);
    await page
      .getByRole("region", { name: "People" })
      .getByText("Ann approved review: looked at every line")
      .waitFor();
    await expect.poll(() => form.count()).toBe(0);
  });

  it("is rejected, and the reason reaches the agent", async () => {
    const { page, newest, ask } = await watching(sandbox(), task());
    const form = page.getByRole("form", { name: "Answer for review" });
    await form.getByLabel("Your name").fill("Bob");
    await form.getByLabel("Message").fill("the numbers do not add up");
    await form.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("button", { name: "Iteration 2, review: waiting" }).waitFor();
    await page.getByRole("button", { name: "Iteration 1, review: failed" }).click();
    await page.getByRole("region", { name: "People" }).getByText("Bob rejected review").waitFor();
    const { id } = await newest();
    const { prompt } = await ask<{ prompt: string }>(`/runs/${id}/iterations/2`);
    expect(prompt).toContain("the numbers do not add up");
  });
});

it("decides about an iteration of a manual run, with feedback for the next prompt", async () => {
  const { page } = await watching(sandbox(), {
    agent: COUNTING,
    gates: [{ name: "red", command: "false" }],
    strategy: "manual",
  });
  await page.getByText("waiting for a person to decide about iteration 1").first().waitFor();
  await page.getByRole("button", { name: "Decide …" }).click();
  const dialog = page.getByRole("dialog", { name: "Decide" });
  await dialog.getByLabel("Feedback for the next prompt").fill("Begin with the parser.");
  await dialog.getByRole("button", { name: "Decide" }).click();
  await page.getByText("waiting for a person to decide about iteration 2").first().waitFor();
  await page.getByRole("heading", { name: "Iteration 2" }).waitFor();
  await page.getByText("Prompt and feedback as sent").click();
  await expect
    .poll(() => page.getByLabel("Prompt as sent").textContent())
    .toContain("Begin with the parser.");

  await page.getByRole("button", { name: "Decide …" }).click();
  await dialog.getByLabel("Accept").check();
  await dialog.getByRole("button", { name: "Decide" }).click();
  await expect.poll(() => page.title()).toMatch(/^converged in part:/);
  await page.getByText("converged in part").waitFor();
});

it("steers a running run", async () => {
  const { page, agent } = await watchingSteps();
  await page.getByRole("button", { name: "Steer …" }).click();
  const dialog = page.getByRole("dialog", { name: "Steer this run" });
  await dialog.getByLabel("Message for the next prompt").fill("Mind the left step.");
  await dialog.getByRole("button", { name: "Send" }).click();
  await page.getByText("Your message goes into the next prompt.").waitFor();
  agent.allow(1);
  await page.getByRole("button", { name: "Iteration 1, steps: failed" }).waitFor();
  await page.getByText("Iteration 2: the agent is working").waitFor();
  agent.allow(2);
  await page.getByRole("button", { name: "Iteration 2, steps: failed" }).click();
  await page.getByText("Prompt and feedback as sent").click();
  await expect.poll(() => page.getByLabel("Prompt as sent").textContent()).toContain("Mind the left step.");
});

it("stops a running run and its agent", async () => {
  const box = sandbox();
  const { page } = await watching(box, {
    agent: { type: "command", command: "echo $$ > pids; sleep 300 & echo $! >> pids; wait" },
    gates: ["false"],
  });
  await waitFor(() => numbersIn(`${box.dir}/pids`).length === 2);
  const pids = numbersIn(`${box.dir}/pids`);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await page.getByRole("button", { name: "Stop …" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop this run?" });
  await dialog.getByLabel("Reason").fill("wrong branch");
  await dialog.getByRole("button", { name: "Stop the run" }).click();
  await expect.poll(() => page.title()).toMatch(/^stopped:/);
  await page
    .getByText(/wrong branch/)
    .first()
    .waitFor();
  await waitFor(() => !pids.some(isAlive));
});

it("pauses a run and resumes it", async () => {
  const { page, agent, box } = await watchingSteps();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The run pauses as soon as it can.").waitFor();
  for (const iteration of [1, 2, 3]) agent.allow(iteration);
  await expect.poll(() => page.title()).toMatch(/^paused:/);
  await page.getByRole("button", { name: "Resume …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume the run" }).click();
  await expect.poll(() => page.title()).toMatch(/^converged:/);
  expect(box.read("steps")).toBe("3\n");
});

it("restores the best iteration of a diverged run", async () => {
  const box = threeSteps();
  box.write(
    taskFile({
      agent: { type: "command", command: "echo $(( 4 - CONVERGE_ITERATION * 2 )) > steps" },
      gates: [STEPS_GATE],
      limits: { iterations: 2 },
    }),
  );
  expect((await box.converge("run")).code).toBe(1);
  expect(box.read("steps")).toBe("0\n");
  const { link } = await serving(box);
  const { page } = await visit(link);
  await page.getByRole("link", { name: "Do it." }).click();
  await page.getByRole("button", { name: "Restore files …" }).click();
  const dialog = page.getByRole("dialog", { name: "Restore files?" });
  await dialog.getByText("The best iteration is 1.").waitFor();
  await dialog.getByRole("button", { name: "Restore the files" }).click();
  await page.getByText("The files are restored. They are those of iteration 1").waitFor();
  expect(box.read("steps")).toBe("2\n");
});
