// What Converge costs beside doing the same by hand. Ratios, measured side by side in one run:
//   --version against a bare `node -e 0`,
//   one iteration (agent and gate that do nothing) against a minimal shell script with the same steps,
//   the same in a repository with 200 test files, which are protected, and
//   classifying 7,000 files against listing and reading them.
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
const TEST_FILES = 200;
const CLASSIFIED = 7_000;

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

function writeFiles(dir, files) {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), text);
  }
}

/** Commits everything. */
function makeRepository(dir) {
  const git = (...args) => execFileSync("git", args, { cwd: dir });
  git("init", "--quiet");
  git("add", "-A");
  git("-c", "user.name=Bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "-m", "base");
}

const numbered = (count, file) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => file(index)));
const texts = numbered(FILES, (index) => [`file-${index}.txt`, `content ${index}\n`.repeat(50)]);
const testCase = (index) =>
  `import { test } from "node:test";\ntest("case ${index}", () => {});\n`.repeat(25);

function workspace(files) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-"));
  const work = path.join(dir, "workspace");
  fs.mkdirSync(work);
  writeFiles(work, files);
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

/** The ratio of each round, because what else the machine does changes from round to round but hits both. */
function iterations(rounds, where) {
  const all = Array.from({ length: rounds }, () => ({
    theirs: perIteration(byScript, where),
    ours: perIteration(byConverge, where),
  }));
  const ratio = ({ ours, theirs }) => ours.each / theirs.each;
  const middle = all.toSorted((a, b) => ratio(a) - ratio(b))[Math.floor(rounds / 2)];
  const few = { ours: all.map(({ ours }) => ours.few), theirs: all.map(({ theirs }) => theirs.few) };
  return {
    each: { ours: middle.ours.each, theirs: middle.theirs.each },
    few: { ours: median(few.ours), theirs: median(few.theirs) },
  };
}

function reportRun({ few: { ours, theirs } }) {
  const ratio = (ours / theirs).toFixed(1);
  console.log(
    `     (a whole run of ${FEW} iterations, start-up included: ${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms, ${ratio}x)`,
  );
}

const place = workspace(texts);
const plain = iterations(9, place);
report("one iteration / the same steps in a shell script", plain.each, 3);
reportRun(plain);
const contained = perIteration((where, iterations) => byConverge(where, iterations, "auto"), place);
console.log(
  `     (an agent shut off by bwrap, where there is one: ${contained.each.toFixed(1)} ms an iteration)`,
);
fs.rmSync(place.dir, { recursive: true, force: true });

const tested = workspace({
  ...numbered(TEST_FILES, (index) => [`test/file-${index}.test.js`, testCase(index)]),
  ...numbered(TEST_FILES, (index) => [`src/file-${index}.js`, `export const x = ${index};\n`.repeat(50)]),
});
makeRepository(tested.work);
const withTests = iterations(5, tested);
report(`one iteration with ${TEST_FILES} test files / the same steps in a shell script`, withTests.each, 4);
reportRun(withTests);
fs.rmSync(tested.dir, { recursive: true, force: true });

/** Half source, a third tests by name, the rest tests by their content, in twenty packages. */
function packageFile(index) {
  const folder = `packages/p${index % 20}`;
  const name = `m${index % 7}/file-${index}`;
  if (index % 6 < 3) return [`${folder}/src/${name}.ts`, `export const x = ${index};\n`.repeat(30)];
  if (index % 6 < 5) return [`${folder}/test/${name}.test.ts`, testCase(index)];
  return [`${folder}/src/${name}-test.ts`, testCase(index)];
}

const many = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-"));
writeFiles(many, {
  ...numbered(CLASSIFIED - 1, packageFile),
  "package.json": JSON.stringify({ scripts: { test: "vitest run" }, devDependencies: { vitest: "4" } }),
});
makeRepository(many);
const { openClassifier } = await import("../dist/classify/classify.js");
const READ_ALL = "git ls-files -z --cached --others --exclude-standard | xargs -0 cat > /dev/null";
const classified = { ours: [], theirs: [] };
for (let round = 0; round < 7; round++) {
  classified.theirs.push(timed(() => execFileSync("/bin/sh", ["-c", READ_ALL], { cwd: many })));
  const began = performance.now();
  await openClassifier(many, { commands: [{ command: "npm test" }] });
  classified.ours.push(performance.now() - began);
}
report(
  `classify ${CLASSIFIED.toLocaleString("en")} files / list and read them`,
  { ours: median(classified.ours), theirs: median(classified.theirs) },
  4,
);
fs.rmSync(many, { recursive: true, force: true });
