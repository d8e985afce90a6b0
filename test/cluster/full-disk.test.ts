import fs from "node:fs";
import { expect, it } from "vitest";
import { cluster, taskOf } from "../support/cluster.ts";
import { ofType } from "../support/sandbox.ts";

it("a full disk of one worker does not end its run, which continues on another worker", async () => {
  const fleet = await cluster();
  const small = await fleet.start([], "small", (home) => {
    fs.mkdirSync(home, { recursive: true });
    return ["bwrap", "--dev-bind", "/", "/", "--die-with-parent", "--size", "3000000", "--tmpfs", home];
  });
  await small.says(/is ready for/);
  const agent = "head -c 2000000 /dev/urandom > made";
  const run = await fleet.submit(taskOf(agent, 1, { gates: ['test "$(stat -c %s made)" = 2000000'] }));
  await small.says(/out of diskspace|no space left|the disk is full/i);
  small.kill("SIGKILL");
  await small.ended;
  expect(ofType(await fleet.events(run), "run.ended")).toEqual([]);

  await fleet.worker();
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  const record = await fleet.events(run);
  expect(ofType(record, "run.paused")).toEqual([]);
  expect(ofType(record, "decision.made").map(({ iteration }) => iteration)).toEqual([1]);
});
