// One browser for all tests of the page, started before the first of them and closed after the last.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the browser listens. */
    browser: string;
  }
}

export default async function launchBrowser(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath: "/usr/bin/chromium" });
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}
