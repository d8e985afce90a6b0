import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// The tests that start the real agent CLIs: one file at a time, for each CLI wants a core or two to itself.
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ["test/agents/**/*.test.ts"],
      globalSetup: "test/support/install-agents.ts",
      testTimeout: 300_000,
      hookTimeout: 300_000,
      maxWorkers: 1,
    },
  }),
);
