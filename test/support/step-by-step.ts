// Agent that prints when an iteration begins and waits until the test allows it to work.
import fs from "node:fs";
import path from "node:path";
import type { Sandbox } from "./sandbox.ts";

export interface StepByStep {
  /** The agent's command in a task. */
  readonly command: string;
  allow(iteration: number): void;
}

/** `work` is a shell script; the number of the iteration is in $CONVERGE_ITERATION. */
export function stepByStep(box: Sandbox, work: string): StepByStep {
  const folder = fs.mkdtempSync(path.join(path.dirname(box.dir), "agent-"));
  const file = path.join(folder, "agent.sh");
  const script = [
    'echo "begins iteration $CONVERGE_ITERATION"',
    `while [ ! -e "${folder}/allowed-$CONVERGE_ITERATION" ]; do sleep 0.05; done`,
    work,
    'echo "is done with iteration $CONVERGE_ITERATION"',
  ];
  fs.writeFileSync(file, `${script.join("\n")}\n`);
  return {
    command: `sh ${file}`,
    allow: (iteration) => fs.writeFileSync(path.join(folder, `allowed-${iteration}`), ""),
  };
}
