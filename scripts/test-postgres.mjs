// The tests with a real Postgres: the one from npm, or the server of CONVERGE_TEST_DATABASE_URL. Ends with "N passed, N failed".
import { countTests } from "./count-tests.mjs";
import { build, setUp } from "./set-up.mjs";

await setUp();
const { passed, failed } = (await build())
  ? countTests("--config", "vitest.postgres.config.ts")
  : { passed: 0, failed: 1 };

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
