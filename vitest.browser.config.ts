import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// The tests in a real browser, which is one for all of them: a file at a time, for pages want their cores.
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ["test/browser/**/*.test.ts"],
      globalSetup: "test/support/launch-browser.ts",
      testTimeout: 120_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      maxWorkers: 1,
    },
  }),
);
