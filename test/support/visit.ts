// Opens a page in a real browser. Errors, dialogs, CSP violations and requests to other origins fail the test.
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";

export interface Visit {
  readonly page: Page;
  /** Problems so far: errors, dialogs, CSP violations, requests to other origins. */
  readonly troubles: string[];
}

let browser: Promise<Browser> | undefined;

/** Reports Content-Security-Policy violations. Runs in the page. */
const WATCH = `addEventListener("securitypolicyviolation", (event) =>
  tellTrouble(event.violatedDirective + " refused " + event.blockedURI + " " + event.sample));`;

async function watched(page: Page, origin: string): Promise<string[]> {
  const troubles: string[] = [];
  page.on("pageerror", ({ message }) => troubles.push(`error: ${message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) troubles.push(`request: ${request.url()}`);
  });
  page.on("popup", (popup) => troubles.push(`window: ${popup.url()}`));
  await page.exposeFunction("tellTrouble", (words: string) => troubles.push(`policy: ${words}`));
  await page.addInitScript(WATCH);
  return troubles;
}

/** Opens the address in a new browser context without cookies. */
export async function visit(address: string, options: BrowserContextOptions = {}): Promise<Visit> {
  browser ??= chromium.connect(inject("browser"));
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const troubles = await watched(page, new URL(address).origin);
  onTestFinished(async () => {
    await context.close();
    expect(troubles).toEqual([]);
  });
  await page.goto(address);
  return { page, troubles };
}
