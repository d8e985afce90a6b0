// Prepares a fix for replay: clone, base, set-up, and proof that the gate is red without the fix and green with it.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { splitFix } from "./files.mjs";
import { cloneAt, commitBase, contentsAt, resetToBase } from "./repository.mjs";

export class NotReplayable extends Error {}

const OUTPUT_CHARS = 1_500;

/** The environment of somebody who types the command: without what npm and CI add. */
export function plainEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_|CI$|VITEST|CONVERGE_)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Runs a shell command in `dir`. A timeout counts as red. */
function runShell(dir, command, timeout = 0) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", command], {
    cwd: dir,
    env: plainEnvironment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
    timeout,
    killSignal: "SIGKILL",
  });
  return { ok: status === 0, output: `${stdout}${stderr}`, ms: performance.now() - began };
}

/** File times of one second are all that some builds look at. */
const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));

/** Writes files (base64, null deletes), runs the gate, and puts the base back. */
export async function tryFiles(clone, files, { gate, timeout }) {
  await nextSecond();
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(clone.dir, file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    if (content === null) fs.rmSync(target, { force: true });
    else fs.writeFileSync(target, Buffer.from(content, "base64"));
  }
  const result = runShell(clone.dir, gate, timeout);
  await nextSecond();
  resetToBase(clone);
  return result;
}

function expect(condition, message, { output = "" } = {}) {
  if (!condition) throw new NotReplayable(`${message}\n${output.slice(-OUTPUT_CHARS)}`);
}

export async function prepare(fix, dir) {
  const cloned = cloneAt(fix.repo, fix.fix, dir);
  const { source, tests, steering } = await splitFix(cloned, fix.gate);
  expect(
    source.length > 0 && tests.length > 0,
    `${fix.name}: the commit must change source and tests, got source [${source}] and tests [${tests}]`,
  );
  const clone = { ...commitBase(cloned, source), source, tests, steering };
  if (fix.setup) {
    const setup = runShell(dir, fix.setup);
    expect(setup.ok, `${fix.name}: the set-up failed: ${fix.setup}`, setup);
    resetToBase(clone);
  }
  const red = runShell(dir, fix.gate);
  expect(!red.ok, `${fix.name}: the gate passes without the fix: ${fix.gate}`, red);
  const fixed = contentsAt(clone, clone.fix, source);
  const green = await tryFiles(clone, fixed, fix);
  expect(green.ok, `${fix.name}: the gate fails with the fix: ${fix.gate}`, green);
  return { ...clone, fixed, gateMs: red.ms };
}
