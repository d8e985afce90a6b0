import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { story } from "../support/story.ts";

const KILLS = 100;
const ITERATIONS = 90;

// Each agent signs in a ledger outside the workspace, and looks whether the one before it is still alive.
// One that was killed while it signed leaves an empty name.
const AGENT = `#!/bin/sh
before=$(cat ../active 2>/dev/null)
state=$(sed -n 's/.*(agent.sh) \\(.\\).*/\\1/p' "/proc/\${before:-nobody}/stat" 2>/dev/null)
if [ -n "$state" ] && [ "$state" != Z ]; then echo "$CONVERGE_ITERATION $before $state" >> ../two-agents; fi
echo $$ > ../active
echo $$ >> ../agents
echo "half of iteration $CONVERGE_ITERATION" > half
sleep 0.1
echo "$CONVERGE_ITERATION" > n
rm -f half
rm -f ../active
`;

const TASK = `
prompt: Count.
agent: {type: command, command: ./agent.sh}
strategy: {type: fixed, iterations: ${ITERATIONS}}
limits: {iterations: ${ITERATIONS}}
onResume: restore
gates:
  - {name: counted, command: 'echo "at $(cat n)"; test "$(cat n)" = ${ITERATIONS}'}
  - {name: whole, command: test ! -f half}
`;

function prepared(): Sandbox {
  const box = sandbox();
  box.write({ n: "0\n", "agent.sh": AGENT, "converge.yaml": TASK });
  box.commitAll();
  return box;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

/** Agents of earlier processes that are still there; given a moment, because the kernel needs one. */
async function leftBehind(box: Sandbox): Promise<number[]> {
  const file = path.join(box.dir, "..", "agents");
  const pids = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  for (let look = 0; look < 500 && pids.some(alive); look++) await sleep(20);
  return pids.filter(alive);
}

it(`a run killed with -9 ${KILLS} times and resumed each time tells the same story as an undisturbed one`, async () => {
  const calm = prepared();
  const undisturbed = calm.converge("run", "--json");

  const box = prepared();
  const first = box.start(["run", "--json"]);
  await first.until(/iteration\.started/);
  first.child.kill("SIGKILL");
  await first.answer;
  let kills = 1;
  for (; kills < KILLS; kills++) {
    const { child, answer } = box.start(["resume", "last", "--json"]);
    const over = await Promise.race([
      answer.then(() => true),
      sleep(60 + Math.random() * 640).then(() => false),
    ]);
    expect(over, "the run ended before it was killed often enough").toBe(false);
    child.kill("SIGKILL");
    await answer;
    expect(await leftBehind(box)).toEqual([]);
  }
  const last = await box.converge("resume", "last", "--json");
  expect(last.code, last.stderr).toBe(0);

  const calmly = await undisturbed;
  expect(calmly.code, calmly.stderr).toBe(0);
  const events = await box.events();
  expect(ofType(events, "iteration.started").map((event) => event.iteration)).toEqual(
    Array.from({ length: ITERATIONS }, (_, index) => index + 1),
  );
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  expect(ofType(events, "run.resumed").length).toBeGreaterThan(0);
  expect(story(events)).toEqual(story(calmly.events()));
  const ledger = path.join(box.dir, "..", "two-agents");
  expect(fs.existsSync(ledger) ? fs.readFileSync(ledger, "utf8") : "").toBe("");
  expect(await leftBehind(box)).toEqual([]);
}, 300_000);
