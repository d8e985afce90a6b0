// Every check there is. Ends with a line "N passed, N failed": each check counts as one, each test as one.
import { countTests } from "./count-tests.mjs";
import { bin, build, execute, setUp } from "./set-up.mjs";

setUp();

let passed = 0;
let failed = 0;

function check(name, work) {
  const began = performance.now();
  const ok = work();
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

check("build", build);
check("types", () => execute(bin("tsc"), ["-p", "tsconfig.json"], { quiet: true }));
check("lint and format", () => execute(bin("biome"), ["check", "--error-on-warnings", "."], { quiet: true }));
check("rooms", () =>
  execute(bin("depcruise"), ["--config", ".dependency-cruiser.mjs", "src"], { quiet: true }),
);
check("picture of the house", () =>
  execute(process.execPath, ["scripts/house.mjs", "--check"], { quiet: true }),
);
check("dead code", () => execute(bin("knip"), ["--tsConfig", "tsconfig.build.json"], { quiet: true }));
const counted = countTests();
passed += counted.passed;
failed += counted.failed;

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
