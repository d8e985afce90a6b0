// Small project with a gate of three tests that passes when the file `steps` contains 3.
import { type Sandbox, sandbox } from "./sandbox.ts";

const GATE = `#!/bin/sh
echo TAP version 13
for test in 1 2 3; do
  if [ "$test" -le "$(cat steps)" ]; then echo "ok $test - step $test"; else echo "not ok $test - step $test"; fi
done
echo 1..3
[ "$(cat steps)" = 3 ]
`;

/** The agent's work in one iteration. */
export const STEP = 'echo "$CONVERGE_ITERATION" > steps';

export const STEPS_GATE = { name: "steps", command: "./gate.sh" };

export function threeSteps(): Sandbox {
  const box = sandbox();
  box.write({ steps: "0\n", "gate.sh": GATE });
  box.commitAll();
  return box;
}
