// A suite that `npm test` leaves out: node scripts/test-suite.mjs NAME. Ends with "N passed, N failed".
import { countTests } from "./count-tests.mjs";
import {
  build,
  requireBubblewrap,
  requireChromium,
  requireMakeAndPython,
  requireToolchains,
  setUp,
} from "./set-up.mjs";

const [name] = process.argv.slice(2);
const needs = {
  cli: [requireBubblewrap],
  strategies: [requireBubblewrap],
  faults: [requireBubblewrap],
  gates: [requireBubblewrap, () => requireMakeAndPython()],
  "first-day": [requireBubblewrap, requireToolchains],
  browser: [requireChromium],
  cluster: [requireBubblewrap],
};

await setUp();
for (const require of needs[name] ?? []) require();
process.env.SUITE = name;
const { passed, failed } = (await build())
  ? countTests("--config", "vitest.suites.config.ts")
  : { passed: 0, failed: 1 };

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
