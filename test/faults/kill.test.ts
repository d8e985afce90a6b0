import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { isAlive } from "../support/processes.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { story } from "../support/story.ts";
import { waitFor } from "../support/wait.ts";

const KILLS = 100;
const ITERATIONS = 90;

// Each agent logs its pid outside the workspace and checks that the one before it is dead.
// An agent killed while it writes leaves an empty pid.
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

/** Waits until no agent of an earlier process is alive. */
async function waitForAgentsToEnd(box: Sandbox): Promise<void> {
  const file = path.join(box.dir, "..", "agents");
  const pids = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  await waitFor(() => !pids.some(isAlive));
}

it(`a run killed with -9 ${KILLS} times and resumed each time records the same story as an undisturbed one`, async () => {
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
    await waitForAgentsToEnd(box);
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
  await waitForAgentsToEnd(box);
}, 300_000);
