// What Converge costs beside doing the same by hand. Ratios, measured side by side in one run:
//   --version against a bare `node -e 0`, and
//   one iteration (agent and gate that do nothing) against a minimal shell script with the same steps.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, root, setUp } from "../scripts/set-up.mjs";

await setUp();
if (!(await build())) process.exit(1);

const CLI = path.join(root, "bin", "converge.js");
const ROUNDS = 15;
const FEW = 5;
const MANY = 105;
const FILES = 100;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** Alternates, so that whatever else the machine does hits both. */
function sideBySide(rounds, ours, theirs) {
  const times = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    times.theirs.push(timed(theirs));
    times.ours.push(timed(ours));
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

function workspace() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-"));
  const work = path.join(dir, "workspace");
  fs.mkdirSync(work);
  for (let index = 0; index < FILES; index++)
    fs.writeFileSync(path.join(work, `file-${index}.txt`), `content ${index}\n`.repeat(50));
  fs.writeFileSync(path.join(work, "agent"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  fs.writeFileSync(path.join(work, "gate"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  fs.writeFileSync(
    path.join(dir, "loop.sh"),
    `export GIT_DIR="$1/git" GIT_INDEX_FILE="$1/index" GIT_WORK_TREE="$PWD"
git init --quiet
n=0
while [ $n -lt $2 ]; do
  ./agent < "$1/prompt" > "$1/agent.out" 2> "$1/agent.err"
  git add -A
  git write-tree > "$1/tree"
  ./gate > "$1/gate.out" 2> "$1/gate.err"
  n=$((n + 1))
done
`,
  );
  fs.writeFileSync(path.join(dir, "prompt"), "Do nothing.\n");
  return { dir, work };
}

function byScript({ dir, work }, iterations) {
  const state = fs.mkdtempSync(path.join(dir, "script-"));
  fs.copyFileSync(path.join(dir, "prompt"), path.join(state, "prompt"));
  execFileSync("/bin/sh", [path.join(dir, "loop.sh"), state, String(iterations)], { cwd: work });
}

/** The script shuts nobody off, so neither do we; what bwrap adds is told apart. */
function byConverge({ dir, work }, iterations, isolation = "off") {
  const task = path.join(dir, `task-${iterations}.yaml`);
  fs.writeFileSync(
    task,
    `prompt: Do nothing.
agent: {type: command, command: ./agent}
gates: [{name: gate, command: ./gate}]
strategy: {type: fixed, iterations: ${iterations}}
limits: {iterations: ${iterations}}
workspace: {type: in-place, dir: ${work}}
baseline: off
isolation: ${isolation}
`,
  );
  const env = { ...process.env, CONVERGE_HOME: fs.mkdtempSync(path.join(dir, "home-")) };
  const { status, stderr } = spawnSync(process.execPath, [CLI, "run", task, "--json"], {
    cwd: work,
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 1) throw new Error(`expected exit 1, got ${status}: ${stderr}`);
}

function report(name, { ours, theirs }, limit) {
  const ratio = ours / theirs;
  const ok = ratio <= limit;
  console.log(
    `${ok ? "ok  " : "OVER"} ${name}: ${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms, ${ratio.toFixed(2)}x (limit ${limit}x)`,
  );
  if (!ok) process.exitCode = 1;
}

const node =
  (...args) =>
  () =>
    execFileSync(process.execPath, args);
report("converge --version / node -e 0", sideBySide(ROUNDS, node(CLI, "--version"), node("-e", "0")), 1.5);

/** What one iteration costs: a long run less a short one, so that start-up does not count. */
function perIteration(run, place) {
  const few = timed(() => run(place, FEW));
  return { each: (timed(() => run(place, MANY)) - few) / (MANY - FEW), few };
}

const place = workspace();
const rounds = Array.from({ length: 9 }, () => ({
  theirs: perIteration(byScript, place),
  ours: perIteration(byConverge, place),
}));
// The ratio of each round, because what else the machine does changes from round to round but hits both.
const middle = rounds.toSorted((a, b) => a.ours.each / a.theirs.each - b.ours.each / b.theirs.each)[4];
report(
  "one iteration / the same steps in a shell script",
  { ours: middle.ours.each, theirs: middle.theirs.each },
  3,
);
console.log(
  `     (a whole run of ${FEW} iterations, start-up included: ${median(rounds.map((round) => round.ours.few)).toFixed(0)} ms against ${median(rounds.map((round) => round.theirs.few)).toFixed(0)} ms)`,
);
const contained = perIteration((where, iterations) => byConverge(where, iterations, "auto"), place);
console.log(
  `     (an agent shut off by bwrap, where there is one: ${contained.each.toFixed(1)} ms an iteration)`,
);
fs.rmSync(place.dir, { recursive: true, force: true });
