import { defineConfig } from "vitest/config";

// Tests read the sources (the "source" condition of package.json); the acceptance tests run the built CLI.
export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  resolve: { conditions: ["source"] },
  test: {
    include: ["test/**/*.test.ts"],
    // They start the real agent CLIs: `npm run test:agents`.
    exclude: ["test/agents/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 4,
  },
});
