// Kills the harness with -9 while a hostile agent works in its own namespace: no process survives.
import fs from "node:fs";
import { expect, it } from "vitest";
import { runIds } from "../support/observe.ts";
import { taskFile } from "../support/run-task.ts";
import { sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const KILLS = 5;
const PATIENCE_MS = 300_000;

/** Processes with this word in their arguments. */
function processesWith(word: string): string[] {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

it(
  `kills all sandboxed processes with the harness, ${KILLS} times, including a daemon in another session`,
  async () => {
    const box = sandbox();
    box.isolate("auto");
    const nap = String(300_000 + process.pid);
    const command = `trap "" INT TERM HUP; (setsid env -i sh -c '(sleep ${nap} &) & exec sleep ${nap}' &); touch ready; sleep ${nap}`;
    box.write(taskFile({ agent: { type: "command", command }, gates: ["false"], baseline: false }));
    for (let kill = 0; kill < KILLS; kill++) {
      fs.rmSync(`${box.dir}/ready`, { force: true });
      const { child, answer } = box.start(kill === 0 ? ["run"] : ["resume", "last"]);
      await waitFor(() => box.exists("ready") && processesWith(nap).length >= 3);
      child.kill("SIGKILL");
      await answer;
      await waitFor(() => processesWith(nap).length === 0);
    }
    expect(await runIds(box)).toHaveLength(1);
  },
  PATIENCE_MS,
);
