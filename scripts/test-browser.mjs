// The tests of the page in a real browser. Ends with "N passed, N failed".
import { countTests } from "./count-tests.mjs";
import { build, requireChromium, setUp } from "./set-up.mjs";

await setUp();
requireChromium();
const { passed, failed } = (await build())
  ? countTests("--config", "vitest.browser.config.ts")
  : { passed: 0, failed: 1 };

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
