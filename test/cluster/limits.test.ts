import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Cluster, cluster, taskOf } from "../support/cluster.ts";
import { waitFor } from "../support/wait.ts";

const ACP = fileURLToPath(new URL("../fixtures/agents/acp-agent.mjs", import.meta.url));

/** A task for one of two agents, which logs its name and folder. */
function taskFor({ ledger }: Cluster, agent: "command" | "acp", folder: string, seconds: number): object {
  const signing = ledger.agent(seconds, `${agent}/${folder}`);
  const command = agent === "acp" ? `${signing}; exec ${process.execPath} ${ACP} repeats` : signing;
  return taskOf("", 1, { agent: { type: agent, command } });
}

it("total, repository and agent limits are never exceeded, even when workers are killed", async () => {
  const fleet = await cluster();
  const flags = ["--total", "4", "--per-repository", "2", "--per-agent", "3"];
  expect(await fleet.converge("limits", ...flags)).toMatchObject({ code: 0 });
  const runs: string[] = [];
  for (let at = 0; at < 24; at++) {
    const folder = `folder-${at % 3}`;
    const agent = at % 4 === 0 ? "acp" : "command";
    runs.push(await fleet.submit(taskFor(fleet, agent, folder, 0.5), { folder }));
  }
  const flag = ["--concurrency", "4"];
  const [first] = await Promise.all([fleet.worker(flag), fleet.worker(flag)]);
  await waitFor(() => fleet.ledger.signatures().some(({ worker }) => worker === first.name));
  await sleep(700);
  first.kill("SIGKILL");
  await fleet.worker(flag);
  expect(new Set(await fleet.outcomes(runs))).toEqual(new Set(["converged"]));
  const signed = fleet.ledger.signatures();
  for (const { among, worker } of signed.filter(({ what }) => what === "begin")) {
    // The agents of a killed worker end a moment later.
    const there = among.filter((one) => one.worker === worker || one.worker !== first.name);
    const most = (of: (kind: string) => string | undefined) =>
      Math.max(...there.map(({ kind }) => there.filter((other) => of(other.kind) === of(kind)).length));
    expect(there.length).toBeLessThanOrEqual(4);
    expect(most((kind) => kind.split("/")[1])).toBeLessThanOrEqual(2);
    expect(most((kind) => kind.split("/")[0])).toBeLessThanOrEqual(3);
  }
  // The runs competed for slots.
  expect(Math.max(...signed.map(({ among }) => among.length))).toBeGreaterThan(2);
});

it("runs at the limit of their agent wait without blocking other runs", async () => {
  const fleet = await cluster();
  expect(await fleet.converge("limits", "--per-agent", "1")).toMatchObject({ code: 0 });
  const go = path.join(fleet.root, "go");
  const held = taskOf(`while ! test -e ${go}; do sleep 0.1; done`);
  const first = await fleet.submit(held);
  await fleet.worker(["--concurrency", "2"]);
  await waitFor(async () => (await fleet.events(first)).some(({ type }) => type === "iteration.started"));
  const waiting = [await fleet.submit(held), await fleet.submit(held), await fleet.submit(held)];
  const other = await fleet.submit(taskFor(fleet, "acp", "repository", 0));
  expect(await fleet.outcomes([other])).toEqual(["converged"]);
  for (const run of waiting) expect(await fleet.events(run)).toHaveLength(1);
  fs.writeFileSync(go, "");
  expect(new Set(await fleet.outcomes([first, ...waiting]))).toEqual(new Set(["converged"]));
});
