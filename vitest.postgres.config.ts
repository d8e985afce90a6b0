import { defineConfig, mergeConfig } from "vitest/config";
import shared from "./vitest.config.ts";

// The tests with a real Postgres, which is started for them.
export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ["test/postgres/**/*.test.ts"],
      globalSetup: "test/support/start-postgres.ts",
      testTimeout: 120_000,
      hookTimeout: 120_000,
      maxWorkers: 2,
    },
  }),
);
