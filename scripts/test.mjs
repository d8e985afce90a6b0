// Every check there is. Ends with a line "N passed, N failed": each check counts as one, each test as one.
import { countTests } from "./count-tests.mjs";
import { bin, build, execute, requireBubblewrap, setUp } from "./set-up.mjs";

await setUp();
requireBubblewrap();

let passed = 0;
let failed = 0;

async function check(name, work) {
  const began = performance.now();
  const ok = await work();
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

async function buildAndRooms() {
  await check("build", build);
  await check("reference of the task file", () =>
    execute(process.execPath, ["scripts/reference.mjs", "--check"]),
  );
  await check("rooms", () => execute(bin("depcruise"), ["--config", ".dependency-cruiser.mjs", "src"]));
  await check("drawing and numbers of the house", () =>
    execute(process.execPath, ["scripts/house.mjs", "--check", "--numbers"]),
  );
}

async function typesAndStyle() {
  await check("types", () => execute(bin("tsc"), ["-p", "tsconfig.json"]));
  await check("types of the page", () => execute(bin("tsc"), ["-p", "dashboard"]));
  await check("lint and format", () => execute(bin("biome"), ["check", "--error-on-warnings", "."]));
  await check("words to avoid", () => execute(process.execPath, ["scripts/words.mjs"]));
  await check("dead code", () => execute(bin("knip"), ["--tsConfig", "tsconfig.build.json"]));
}

// Side by side: a check keeps little more than one core busy.
await Promise.all([buildAndRooms(), typesAndStyle()]);

// Alone: what they start wants all cores there are.
const counted = countTests();
passed += counted.passed;
failed += counted.failed;

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
