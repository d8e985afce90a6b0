import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest comes first, also where nothing is known from earlier, so that nobody waits for one last file. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      ["/test/unit/", "/test/acceptance/", "/test/faults/"].findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((a, b) => place(b) - place(a));
  }
}

// Tests read the sources (the "source" condition of package.json); the acceptance tests run the built CLI.
export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  resolve: { conditions: ["source"] },
  test: {
    include: ["test/**/*.test.ts"],
    // They start the real agent CLIs, and Postgres: `npm run test:agents`, `npm run test:postgres`.
    exclude: ["test/agents/**", "test/postgres/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
});
