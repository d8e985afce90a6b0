import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import shared from "./vitest.config.ts";

type Test = NonNullable<ViteUserConfig["test"]>;

// Suites that `npm test` leaves out, because they take long or need more than a clone: `npm run test:NAME`, one folder each.
const SUITES: Readonly<Record<string, Test>> = {
  // Commands, the terminal, the state folder, the server, notifications, several agents, session loops.
  cli: {},
  // Strategies, progress, memory and backtests, through the command line.
  strategies: {},
  // Every kind of gate, protection and delivery, through the command line.
  gates: {},
  // Kills, cheats, damage, leaks.
  faults: {},
  // Small repositories in five languages, replayed with the packed tarball under the defaults.
  "first-day": {
    globalSetup: "test/support/install-tarball.ts",
    testTimeout: 300_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
  // The real agent CLIs: one file at a time, for each of them wants a core or two to itself.
  agents: {
    globalSetup: "test/support/install-agents.ts",
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
  },
  // The page in a real browser, which is one for all of them: a file at a time, for pages want their cores.
  browser: {
    globalSetup: "test/support/launch-browser.ts",
    testTimeout: 120_000,
    maxWorkers: 1,
  },
  // A real Postgres, which is started for them: the one from npm, or the server of CONVERGE_TEST_DATABASE_URL.
  postgres: {
    globalSetup: "test/support/start-postgres.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
  // Several workers as processes, with that Postgres: a file at a time, for each of them wants every core.
  cluster: {
    globalSetup: "test/support/start-postgres.ts",
    testTimeout: 400_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
};

const names = Object.keys(SUITES);
const all: Test = { globalSetup: Object.values(SUITES).flatMap(({ globalSetup = [] }) => globalSetup) };
// Whoever only looks for what there is names none.
const { SUITE: name = `{${names.join(",")}}` } = process.env;
if (process.env.SUITE && !names.includes(name))
  throw new Error(`SUITE: expected ${names.join(", ")}, got "${name}"`);

// The real agent CLIs have config folders of their own.
const env = name === "agents" ? {} : { ...shared.test?.env };

export default mergeConfig(
  { ...shared, test: { ...shared.test, env, include: [] } },
  defineConfig({ test: { include: [`test/${name}/**/*.test.ts`], ...(SUITES[name] ?? all) } }),
);
