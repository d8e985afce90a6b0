// Vitest global setup: launches one browser for all page tests and closes it after the last.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** WebSocket endpoint of the browser. */
    browser: string;
  }
}

export default async function launchBrowser(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath: "/usr/bin/chromium" });
  project.provide("browser", server.wsEndpoint());
  return () => server.close();
}
