// Every view in both colour schemes and on a phone: no serious accessibility violation, no overflow.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Serving, serving } from "../support/serving.ts";
import { threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

interface Found {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Serious and critical accessibility violations, as text. */
async function faults(page: Page): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Found[] }>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

/** Two ended runs and a waiting one. */
async function history(): Promise<Serving & { readonly ids: readonly string[] }> {
  const box = threeSteps();
  const server = await serving(box);
  const agent = {
    type: "scripted",
    iterations: [1, 2, 3].map((step) => [
      { write: { steps: `${step}\n`, "src/step.js": `export const step = ${step}; // so far\n` } },
      { usage: { inputTokens: 5200, outputTokens: 610, costUsd: 0.03 } },
      { say: `Step ${step} is taken.` },
    ]),
  };
  const gates = [
    { name: "steps", command: "./gate.sh" },
    { name: "tidy", command: "test -e src/step.js" },
  ];
  const run = async (task: object) => {
    const { id } = await server.ask<{ id: string }>("/runs", {
      task: { agent, gates, requireChange: true, limits: { iterations: 3, cost: 1 }, ...task },
      dir: box.dir,
    });
    await expect.poll(async () => (await server.newest()).state).not.toBe("running");
    return id;
  };
  const converged = await run({ prompt: "Take all three steps." });
  const diverged = await run({
    prompt: "Take them backwards.",
    strategy: "adaptive",
    agent: { type: "command", command: "echo $(( 3 - CONVERGE_ITERATION )) > steps" },
  });
  const review = { name: "review", type: "approval", message: "Is it safe?" };
  const waiting = await run({ prompt: "Ask before you are done.", gates: [...gates, review] });
  return { ...server, ids: [converged, diverged, waiting] };
}

type Views = Readonly<Record<string, (page: Page) => Promise<void>>>;

/** Every view, with a check that it has loaded. */
function viewsOf({
  url,
  ids: [converged = "", diverged = "", waiting = ""],
}: Awaited<ReturnType<typeof history>>): Views {
  const at = (place: string, ready: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await page.goto(`${url}/#${place}`);
    await ready(page);
  };
  const run = `/runs/${converged}`;
  return {
    list: at("/", (page) => page.getByRole("row", { name: /backwards/ }).waitFor()),
    "nothing fits": at("/?q=nothing-like-this", (page) => page.getByText("No run matches").waitFor()),
    run: at(`${run}?i=2`, (page) => page.getByText("Step 2 is taken.").waitFor()),
    "curve as a table": at(run, (page) => page.getByRole("button", { name: "Show as a table" }).click()),
    "diverged run": at(`/runs/${diverged}?i=2&gate=steps`, (page) =>
      page.getByRole("region", { name: "Decision" }).waitFor(),
    ),
    "waiting run": at(`/runs/${waiting}`, (page) => page.getByRole("form").waitFor()),
    dialog: at(`/runs/${diverged}?i=1`, async (page) => {
      await page.getByRole("button", { name: "Resume …" }).click();
      await page.getByRole("dialog").waitFor();
    }),
    output: at(`${run}/output?iteration=2`, (page) => page.getByRole("log").getByText("Step 2").waitFor()),
    changes: at(`${run}/changes`, (page) =>
      page.getByRole("table", { name: "Changes of src/step.js" }).waitFor(),
    ),
    start: at("/new", (page) => page.getByText(/The task is valid|problem/).waitFor()),
    compare: at(`/compare?a=${converged}&b=${diverged}`, (page) =>
      page.getByRole("heading", { name: "Numbers" }).waitFor(),
    ),
    learned: at("/model", (page) =>
      page
        .getByRole("heading", { name: /workspace with/ })
        .first()
        .waitFor(),
    ),
    "no such view": at("/elsewhere", (page) => page.getByText("Page not found").waitFor()),
    "no such run": at("/runs/none", (page) => page.getByText("Cannot show run none").waitFor()),
  };
}

describe("every view", () => {
  it("has no serious accessibility violation, dark and light", async () => {
    const there = await history();
    const found: string[] = [];
    for (const colorScheme of ["dark", "light"] as const) {
      const { page } = await visit(await there.newLink(), { colorScheme });
      for (const [name, open] of Object.entries(viewsOf(there))) {
        await open(page);
        found.push(...(await faults(page)).map((fault) => `${name}, ${colorScheme}: ${fault}`));
      }
    }
    expect(found).toEqual([]);
  });

  it("fits a phone without horizontal overflow", async () => {
    const there = await history();
    const { page } = await visit(there.link, { viewport: { width: 390, height: 844 }, hasTouch: true });
    const sticksOut: string[] = [];
    for (const [name, open] of Object.entries(viewsOf(there))) {
      await open(page);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (width > 390) sticksOut.push(`${name}: ${width} px`);
    }
    expect(sticksOut).toEqual([]);
  });
});
