// Every check there is. Ends with a line "N passed, N failed": each check counts as one, each test as one.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { bin, build, execute, requireBubblewrap, root, setUp } from "./set-up.mjs";

setUp();
requireBubblewrap();

let passed = 0;
let failed = 0;

function check(name, work) {
  const began = performance.now();
  const ok = work();
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

function tests() {
  const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "converge-test-")), "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync(bin("vitest"), ["run", ...reporters], { cwd: root, stdio: "inherit" });
  if (!fs.existsSync(report)) return void failed++;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    fs.readFileSync(report, "utf8"),
  );
  fs.rmSync(path.dirname(report), { recursive: true });
  passed += numPassedTests;
  // A skipped test proves nothing, so it counts as failed; so does a file that broke outside of its tests.
  const broken = numFailedTests + numPendingTests + numTodoTests;
  failed += broken === 0 && status !== 0 ? 1 : broken;
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
tests();

console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
