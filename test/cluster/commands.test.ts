import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Overview } from "#spec/overview";
import { type Cluster, cluster, taskOf } from "../support/cluster.ts";
import { ofType } from "../support/sandbox.ts";
import { serving } from "../support/serving.ts";
import { waitFor } from "../support/wait.ts";

const has = async ({ events }: Cluster, run: string, type: string) =>
  (await events(run)).some((event) => event.type === type);

const begun = ({ ledger }: Cluster, run: string) =>
  waitFor(() => ledger.signatures().some((one) => one.run === run));

it("a task submitted on one machine runs on another and is visible on all", async () => {
  const fleet = await cluster();
  const file = path.join(fleet.folder, "count.yaml");
  fs.writeFileSync(file, JSON.stringify(taskOf(`echo counting; ${fleet.ledger.agent(0.2)}`, 2)));
  const submitted = await fleet.converge("submit", file, "--json");
  expect(submitted, submitted.stderr).toMatchObject({ code: 0, stderr: "" });
  const { run } = JSON.parse(submitted.stdout) as { run: string };
  expect((await fleet.converge("ls", "--json")).stdout).toMatch(/"state":"queued"/);
  const watching = fleet.converge("watch", run, "--json");
  const worker = await fleet.worker();
  const watched = await watching;
  expect(watched.code).toBe(0);
  expect(watched.events().map(({ seq }) => seq)).toEqual((await fleet.events(run)).map(({ seq }) => seq));
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  expect((await fleet.converge("show", run)).stdout).toContain("converged");
  expect((await fleet.converge("workers")).stdout).toContain(String(worker.child.pid));
  const { ask } = await serving(fleet.desk);
  expect(await ask<Overview>(`/runs/${run}`)).toMatchObject({ id: run, state: "converged" });
  const { runs } = await ask<{ runs: { id: string }[] }>("/runs?limit=10");
  expect(runs.map(({ id }) => id)).toEqual([run]);
});

it("stop, pause, resume and steer reach a run that another machine drives", async () => {
  const fleet = await cluster();
  const { name } = await fleet.worker(["--concurrency", "4"]);
  const endless = await fleet.submit(taskOf(fleet.ledger.agent(600)));
  const counting = await fleet.submit(taskOf(fleet.ledger.agent(2), 2));
  await Promise.all([endless, counting].map((run) => begun(fleet, run)));
  const answers = [
    await fleet.converge("stop", endless),
    await fleet.converge("steer", counting, "mind", "the", "gap"),
    await fleet.converge("pause", counting),
  ];
  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(answers.map(() => [0, ""]));
  expect(await fleet.outcomes([endless])).toEqual(["stopped"]);
  await waitFor(() => has(fleet, counting, "run.paused"));
  expect(fleet.ledger.alive(name)).toEqual([]);
  expect(await fleet.converge("resume", counting)).toMatchObject({ code: 0 });
  const record = await fleet.events(counting);
  expect(ofType(record, "run.resumed")).toHaveLength(1);
  expect(ofType(record, "agent.finished").map(({ iteration }) => iteration)).toEqual([1, 2]);
  expect(record.at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
});

it("a waiting run continues by itself after an approval or a decision", async () => {
  const fleet = await cluster();
  await fleet.worker();
  const review = { name: "review", type: "approval", message: "Is it safe?" };
  const reviewed = await fleet.submit(taskOf(fleet.ledger.agent(0), 1, { gates: ["true", review] }));
  const manual = await fleet.submit(
    taskOf(fleet.ledger.agent(0), 1, { gates: ["false"], strategy: { type: "manual" } }),
  );
  await Promise.all([reviewed, manual].map((run) => waitFor(() => has(fleet, run, "run.parked"))));
  expect(await fleet.converge("approve", reviewed, "--as", "ann")).toMatchObject({ code: 0, stderr: "" });
  expect(await fleet.converge("decide", manual, "continue")).toMatchObject({ code: 0, stderr: "" });
  expect(await fleet.outcomes([reviewed])).toEqual(["converged"]);
  await waitFor(() =>
    fleet.ledger.signatures().some(({ run, iteration }) => run === manual && iteration === 2),
  );
  await waitFor(async () => ofType(await fleet.events(manual), "run.parked").length === 2);
  expect(await fleet.converge("stop", manual)).toMatchObject({ code: 0 });
  expect(await fleet.outcomes([manual])).toEqual(["stopped"]);
});
