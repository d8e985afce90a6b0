import { expect, it } from "vitest";
import { cluster, type Machine, taskOf } from "../support/cluster.ts";
import { execute } from "../support/database.ts";
import { waitFor } from "../support/wait.ts";

it("workers that start concurrently on an empty database all come up", async () => {
  for (let time = 0; time < 5; time++) {
    const fleet = await cluster();
    const workers = await Promise.all([fleet.worker(), fleet.worker()]);
    expect(await fleet.outcomes([await fleet.submit(taskOf("true"))])).toEqual(["converged"]);
    for (const worker of workers) worker.kill("SIGTERM");
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
  }
});

it("an old worker reports the newer database and leaves it unchanged", async () => {
  const fleet = await cluster();
  await fleet.submit(taskOf("true"));
  await execute(fleet.url, "UPDATE converge.version SET version = 1000");
  const old = await fleet.start();
  expect(await old.ended).not.toBe(0);
  expect(old.said()).toMatch(/is used by a newer Converge .*update Converge/);
  expect(await execute(fleet.url, "SELECT * FROM converge.members")).toEqual([]);
});

it("leaves queue entries of other worker versions to them, queued or running", async () => {
  const fleet = await cluster();
  await fleet.submit(taskOf("true"));
  await fleet.submit(taskOf("true"));
  await execute(
    fleet.url,
    "UPDATE converge_queue.workflow_status SET application_version = 'other'",
    `UPDATE converge_queue.workflow_status SET status = 'PENDING', executor_id = 'worker-1000'
       WHERE workflow_uuid = (SELECT min(workflow_uuid) FROM converge_queue.workflow_status)`,
  );
  await fleet.worker();
  const ours = [await fleet.submit(taskOf("true")), await fleet.submit(taskOf("true"))];
  expect(await fleet.outcomes(ours)).toEqual(["converged", "converged"]);
  const theirs = await execute(
    fleet.url,
    "SELECT status FROM converge_queue.workflow_status WHERE application_version = 'other' ORDER BY status",
  );
  expect(theirs).toEqual([{ status: "ENQUEUED" }, { status: "PENDING" }]);
});

it("a worker that gets SIGTERM hands its run to a peer, exits 0 and leaves nothing behind", async () => {
  const fleet = await cluster();
  const workers = await Promise.all([fleet.worker(), fleet.worker()]);
  const run = await fleet.submit(taskOf(fleet.ledger.agent(2), 2));
  const begun = await waitFor(() => fleet.ledger.signatures()[0]);
  const leaving = workers.find(({ name }) => name === begun.worker) as Machine;
  leaving.kill("SIGTERM");
  expect(await leaving.ended).toBe(0);
  expect(fleet.ledger.alive(leaving.name)).toEqual([]);
  expect(await execute(fleet.url, "SELECT FROM converge.members")).toHaveLength(1);
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  const ends = fleet.ledger.signatures().filter(({ what }) => what === "end");
  expect(ends.map(({ iteration, worker }) => [iteration, worker === leaving.name])).toEqual([
    [1, false],
    [2, false],
  ]);
});
