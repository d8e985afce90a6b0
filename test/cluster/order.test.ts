import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { cluster, taskOf } from "../support/cluster.ts";
import { execute } from "../support/database.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

it("starts runs by priority, then in the order of submission", async () => {
  const fleet = await cluster();
  const runs = new Map<string, string>();
  for (const [name, priority] of Object.entries({ last: 9, early: 5, first: 1, late: 5, second: 1 }))
    runs.set(await fleet.submit(taskOf(fleet.ledger.agent(0)), { priority }), name);
  await fleet.worker(["--concurrency", "1"]);
  expect(new Set(await fleet.outcomes([...runs.keys()]))).toEqual(new Set(["converged"]));
  const begun = fleet.ledger.signatures().filter(({ what }) => what === "begin");
  expect(begun.map(({ run }) => runs.get(run))).toEqual(["first", "second", "early", "late", "last"]);
});

it("a run starts only on a worker with its labels and does not block others", async () => {
  const fleet = await cluster();
  const task = taskOf(fleet.ledger.agent(0));
  const gpu = await fleet.submit(task, { labels: ["gpu"] });
  const both = await fleet.submit(task, { labels: ["mac", "gpu"] });
  await fleet.worker(["--labels", "mac"]);
  expect(await fleet.outcomes([await fleet.submit(task)])).toEqual(["converged"]);
  expect(fleet.ledger.signatures().some(({ run }) => run === gpu || run === both)).toBe(false);
  const able = await fleet.worker(["--labels", "gpu,mac"]);
  expect(await fleet.outcomes([gpu, both])).toEqual(["converged", "converged"]);
  const where = fleet.ledger.signatures().filter(({ run }) => run === gpu || run === both);
  expect(new Set(where.map(({ worker }) => worker))).toEqual(new Set([able.name]));
});

it("a run does not start before its start time", async () => {
  const fleet = await cluster();
  await fleet.worker();
  const file = path.join(fleet.folder, "wait.yaml");
  fs.writeFileSync(file, JSON.stringify(taskOf(fleet.ledger.agent(0))));
  const startAt = new Date(Date.now() + 5_000).toISOString();
  const answers = await Promise.all([
    fleet.converge("submit", file, "--json", "--at", startAt),
    fleet.converge("submit", file, "--json", "--in", "4s"),
  ]);
  const runs = answers.map(({ stdout }) => (JSON.parse(stdout) as { run: string }).run);
  expect(await fleet.outcomes(runs)).toEqual(["converged", "converged"]);
  for (const run of runs) {
    const [started, ...rest] = await fleet.events(run);
    if (started?.type !== "run.started") throw new Error("expected the first event");
    const due = started.submission?.startAt as string;
    expect(rest.filter(({ time }) => time < due)).toEqual([]);
  }
});

it("does not retry a run whose agent failed, and resumes one whose worker lost the database", async () => {
  const fleet = await cluster();
  const lone = await fleet.worker();
  const failing = await fleet.submit(taskOf("exit 3", 1, { gates: ["false"], limits: { iterations: 2 } }));
  expect(await fleet.outcomes([failing])).toEqual(["diverged"]);
  const record = await fleet.events(failing);
  expect(ofType(record, "agent.finished")).toHaveLength(2);
  expect(ofType(record, "run.resumed")).toEqual([]);
  const entries = "SELECT status FROM converge_queue.workflow_status";
  await waitFor(async () => (await execute(fleet.url, entries)).every(({ status }) => status === "SUCCESS"));

  const run = await fleet.submit(taskOf(fleet.ledger.agent(2), 2));
  await waitFor(() => fleet.ledger.signatures().some((one) => one.run === run));
  lone.line.cut("silent");
  await waitFor(() => fleet.ledger.alive(lone.name).length === 0);
  // The worker joins as a new member and takes its own run over.
  await lone.says(/lost contact with the database/);
  lone.line.heal();
  await lone.says(/joining again/);
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
});
