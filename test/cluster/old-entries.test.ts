import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { expect, it, onTestFinished } from "vitest";
import { deleteOldEntries } from "#engine/old-entries";
import { cluster, taskOf } from "../support/cluster.ts";
import { execute, freshDatabase } from "../support/database.ts";
import { waitFor } from "../support/wait.ts";

it("deletes finished queue entries, keeps waiting ones, and keeps all runs", async () => {
  const url = await freshDatabase();
  const fleet = await cluster(url);
  await fleet.worker();
  const done = [await fleet.submit(taskOf("true")), await fleet.submit(taskOf("true"))];
  const waiting = await fleet.submit(taskOf("true"), { labels: ["nobody"] });
  expect(await fleet.outcomes(done)).toEqual(["converged", "converged"]);
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: "converge_queue",
  });
  onTestFinished(() => client.destroy());
  const { systemDatabase } = client as unknown as Parameters<typeof deleteOldEntries>[0];
  const entries = async () =>
    (await execute(url, "SELECT workflow_uuid AS id, status FROM converge_queue.workflow_status")).map(
      ({ id, status }) => `${String(id).split(":")[0]} ${status}`,
    );
  await waitFor(async () => (await entries()).filter((one) => one.endsWith("SUCCESS")).length === 2);
  const over = new AbortController();
  onTestFinished(() => over.abort());
  void deleteOldEntries({ systemDatabase }, over.signal, { everyMs: 50, keptMs: 3_600_000 });
  void deleteOldEntries({ systemDatabase }, over.signal, { everyMs: 50, keptMs: -1_000 });
  await waitFor(async () => (await entries()).length === 1);
  expect(await entries()).toEqual([`${waiting} ENQUEUED`]);
  const ids = (await fleet.app.store.runs()).map(({ id }) => id);
  expect(ids.sort()).toEqual([...done, waiting].sort());
});
