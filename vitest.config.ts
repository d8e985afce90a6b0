import os from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest comes first, also where nothing is known from earlier, so that nobody waits for one last file. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      ["/test/unit/", "/test/acceptance/"].findIndex((folder) => moduleId.includes(folder));
    return (await super.sort(files)).sort((a, b) => place(b) - place(a));
  }
}

// Tests read the sources (the "source" condition of package.json); the acceptance tests run the built CLI.
export default defineConfig({
  ssr: { resolve: { conditions: ["source"] } },
  resolve: {
    conditions: ["source"],
    // The page is a package of its own, for which the "#" imports of package.json do not hold.
    alias: [{ find: /^#(spec|text)\/(.+)$/, replacement: `${path.resolve("src")}/$1/$2.ts` }],
  },
  test: {
    // The other folders are suites of their own: vitest.suites.config.ts.
    include: ["test/unit/**/*.test.ts", "test/acceptance/**/*.test.ts"],
    // The SDK reads the user's config file; the tests must not read the one of the person who runs them.
    env: { XDG_CONFIG_HOME: path.join(os.tmpdir(), "converge-no-user-config") },
    // One line per file; only a test that takes this long is worth a line of its own.
    slowTestThreshold: 10_000,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
});
