// Runs vitest in sight of the user, and counts.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { bin, root } from "./set-up.mjs";

export function countTests(...args) {
  const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "converge-test-")), "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync(bin("vitest"), ["run", ...args, ...reporters], {
    cwd: root,
    stdio: "inherit",
  });
  if (!fs.existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    fs.readFileSync(report, "utf8"),
  );
  fs.rmSync(path.dirname(report), { recursive: true });
  // A skipped test proves nothing, so it counts as failed; so does a file that broke outside of its tests.
  const broken = numFailedTests + numPendingTests + numTodoTests;
  return { passed: numPassedTests, failed: broken === 0 && status !== 0 ? 1 : broken };
}
