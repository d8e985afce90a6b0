// npm run screenshots: pictures of the page's main views, of real runs, for the README.
import fs from "node:fs";
import path from "node:path";
import { exampleRuns } from "./example-runs.mjs";
import { build, requireChromium, root, setUp } from "./set-up.mjs";

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Waits for what is expected, so that nothing half-drawn is seen. */
const PICTURES = [
  { name: "list", colours: "dark", size: DESK, open: (page) => page.getByText("4 of 4 runs").waitFor() },
  { name: "run-dark", colours: "dark", size: DESK, open: (page) => openRun(page, /cart pass/) },
  {
    name: "run-light",
    colours: "light",
    size: DESK,
    open: async (page) => {
      await openRun(page, /importer/);
      await page.getByRole("button", { name: "tests", exact: true }).click();
      await page.getByRole("button", { name: "Iteration 6", exact: false }).first().click();
      await page.getByRole("heading", { name: /^Iteration 6/ }).waitFor();
      await page.locator(".run-view").evaluate((view) => scrollTo(0, view.offsetTop - 16));
    },
  },
  { name: "waiting", colours: "light", size: DESK, open: (page) => openRun(page, /migration/) },
  {
    name: "diff",
    colours: "dark",
    size: DESK,
    open: async (page) => {
      await openRun(page, /cart pass/);
      await page.getByRole("link", { name: "Changes", exact: true }).click();
      await page.getByRole("table", { name: "Changes of src/cart.js" }).waitFor();
    },
    part: ".diff-view",
  },
  { name: "phone", colours: "dark", size: PHONE, open: (page) => openRun(page, /cart pass/) },
];

async function openRun(page, name) {
  await page.getByRole("link", { name }).first().click();
  await page.getByRole("region", { name: "Verdicts" }).waitFor();
  await page.locator(".chart canvas").first().waitFor();
}

function linkIn(stream) {
  return new Promise((resolve) => {
    let printed = "";
    stream.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const [link] = /http:\S+#key=\S+/.exec(printed) ?? [];
      if (link) resolve(link);
    });
  });
}

await setUp();
requireChromium();
if (!(await build())) process.exit(1);
// Only now are the packages there.
const { chromium } = await import("playwright-core");

const runs = exampleRuns();
console.log("making the runs …");
await runs.make();
const server = runs.converge("serve", "--port", "0");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
const folder = path.join(root, "docs", "screenshots");
fs.mkdirSync(folder, { recursive: true });
try {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const link = await linkIn(server.stdout);
  await page.goto(link);
  for (const { name, colours, size, open, part } of PICTURES) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: colours });
    await page.goto(`${new URL(link).origin}/#/`);
    await open(page);
    // Two frames later everything is drawn.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const file = path.join(folder, `${name}.png`);
    if (part) await page.locator(part).screenshot({ path: file });
    else await page.screenshot({ path: file });
    console.log(`${path.relative(root, file)} (${Math.round(fs.statSync(file).size / 1024)} kB)`);
  }
} finally {
  await browser.close();
  server.kill();
  await runs.remove();
}
