// A thousand runs, and a run of a hundred thousand events. Timings depend on the machine and are only printed.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { copying } from "../support/copied-runs.ts";
import { taskFile } from "../support/run-task.ts";
import { serving } from "../support/serving.ts";
import { STEP, STEPS_GATE, threeSteps } from "../support/three-steps.ts";
import { visit } from "../support/visit.ts";

const FEW = 3000;

/** The worst time from an input to the next paint. Runs in the page. */
const WATCH_INPUTS = `window.inputs = []; new PerformanceObserver((list) => {
  for (const { duration, interactionId } of list.getEntries()) if (interactionId) inputs.push(duration);
}).observe({ type: "event", durationThreshold: 16, buffered: true });`;

async function opened(page: Page, what: string, ready: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await page.reload();
  await ready();
  const there = performance.now() - began;
  const paint = await page.evaluate<number>(
    'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1',
  );
  console.log(`${what}: first paint ${paint.toFixed(0)} ms, all there ${there.toFixed(0)} ms`);
}

async function acted(page: Page, what: string, act: () => Promise<unknown>, ready: () => Promise<unknown>) {
  await page.evaluate("inputs.length = 0");
  const began = performance.now();
  await act();
  await ready();
  const there = performance.now() - began;
  const worst = await page.evaluate<number>("Math.max(0, ...inputs)");
  console.log(`${what}: answered on screen within ${worst || "< 16"} ms, all there ${there.toFixed(0)} ms`);
}

const elements = (page: Page) => page.locator("*").count();

async function history(work: Parameters<typeof copying<unknown>>[2]) {
  const box = threeSteps();
  box.write(taskFile({ agent: { type: "command", command: STEP }, gates: [STEPS_GATE] }));
  const { events } = await box.converge("run", "--json");
  await copying(box, events(), work);
  const server = await serving(box);
  const { page } = await visit(server.link);
  await page.addInitScript(WATCH_INPUTS);
  return { ...server, page };
}

it("lists 1,000 runs, searches them and loads more", async () => {
  const { page } = await history((copies) =>
    copies.again(999, (at) => ({ id: `copy-${at}`, title: `Task number ${at}.` })),
  );
  const rows = page.getByRole("row");
  const counted = (words: string) => page.getByText(words, { exact: true }).waitFor();
  await counted("50 of 1000 runs");
  await opened(page, "list of 1,000 runs", () => counted("50 of 1000 runs"));
  await expect.poll(() => rows.count()).toBe(51);
  const search = page.getByRole("searchbox", { name: "Search runs" });
  await acted(
    page,
    "searching",
    () => search.pressSequentially("number 77"),
    () => counted("11 of 11 runs"),
  );
  await expect.poll(() => page.locator(".run-link").allTextContents()).toContain("Task number 770.");
  await acted(
    page,
    "all again",
    () => search.fill(""),
    () => counted("50 of 1000 runs"),
  );
  const chip = (name: string) => page.getByRole("button", { name, exact: true });
  await acted(
    page,
    "filtering",
    () => chip("not solved").click(),
    () => page.getByText("No run matches").waitFor(),
  );
  await acted(
    page,
    "the other state",
    () => chip("converged").click(),
    () => counted("50 of 1000 runs"),
  );
  // Waits for the reloaded list; a click before that would act on the old one.
  const anew = page.waitForResponse((response) => response.url().includes("/api/v1/runs?"));
  await chip("not solved").click();
  await (await anew).finished();
  const more = page.getByRole("button", { name: "Show more runs" });
  await acted(
    page,
    "further ones",
    () => more.click(),
    () => counted("100 of 1000 runs"),
  );
  expect(await elements(page)).toBeLessThan(FEW);
  await acted(
    page,
    "opening one",
    () => page.getByRole("link", { name: "Task number 5.", exact: true }).click(),
    () => page.getByRole("heading", { name: "Iteration 3: 1 → 0 failing" }).waitFor(),
  );
});

it("shows a run of 100,000 events, and any of its 20,000 iterations", async () => {
  const { page, url } = await history(async (copies) => {
    expect(await copies.long("long", "A very long run.", 20_000)).toBeGreaterThan(100_000);
  });
  await page.goto(`${url}/#/runs/long`);
  const heading = (name: string) => page.getByRole("heading", { name }).waitFor();
  await heading("Iteration 20000: 2 failing");
  await opened(page, "run of 100,000 events", () => heading("Iteration 20000: 2 failing"));
  await page
    .getByRole("img", { name: /from 3 failing at the baseline to 2 failing at iteration 20000/ })
    .waitFor();
  expect(await elements(page)).toBeLessThan(FEW);

  const matrix = page.getByRole("button", { name: /^Iteration \d+, steps: failed/ });
  await page.getByRole("button", { name: "Iteration 20000, steps: failed" }).waitFor();
  await acted(
    page,
    "opening an iteration",
    () => page.getByRole("button", { name: "Iteration 19995, steps: failed" }).click(),
    () => page.getByText("19995 more to go").waitFor(),
  );
  await acted(
    page,
    "one back",
    () => page.keyboard.press("k"),
    () => heading("Iteration 19994: 2 failing"),
  );
  await acted(
    page,
    "the middle of the matrix",
    () =>
      page.locator(".matrix").evaluate((box: Box) => {
        box.scrollLeft = box.scrollWidth / 2;
      }),
    () => page.getByRole("button", { name: "Iteration 10000, steps: failed" }).waitFor(),
  );
  expect(await matrix.count()).toBeLessThan(60);
  await page.goto(`${url}/#/runs/long?i=12345`);
  await page.getByText("12345 more to go").waitFor();
  await acted(
    page,
    "curve as a table",
    () => page.getByRole("button", { name: "Show as a table" }).click(),
    () => page.getByText("200 of 20001 iterations").waitFor(),
  );
  expect(await elements(page)).toBeLessThan(FEW);
  for (const tab of ["Output", "Changes"]) {
    await acted(
      page,
      `tab ${tab}`,
      () => page.getByRole("link", { name: tab, exact: true }).click(),
      () => page.getByRole("heading", { name: tab }).waitFor(),
    );
    expect(await elements(page)).toBeLessThan(FEW);
  }
});

interface Box {
  scrollLeft: number;
  readonly scrollWidth: number;
}
