import { expect, it } from "vitest";
import { type Cluster, cluster, type Machine, taskOf } from "../support/cluster.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** Two workers, and a run whose second iteration is under way at one of them. */
async function underWay(seconds = 3) {
  const fleet = await cluster();
  const workers = await Promise.all([fleet.worker(), fleet.worker()]);
  const first = fleet.ledger.agent(0.1);
  const command = `test $CONVERGE_ITERATION = 1 && ${first} || ${fleet.ledger.agent(seconds)}`;
  const run = await fleet.submit(taskOf(command, 3));
  const begun = await waitFor(() =>
    fleet.ledger.signatures().find(({ what, iteration }) => what === "begin" && iteration === 2),
  );
  const at = workers.find(({ name }) => name === begun.worker) as Machine;
  const peer = workers.find(({ name }) => name !== begun.worker) as Machine;
  return { fleet, run, at, peer };
}

/** What the record says was finished was done once; the run went on at the peer from there. */
async function wentOn({ ledger, events, outcomes }: Cluster, run: string, at: Machine, peer: Machine) {
  expect(await outcomes([run])).toEqual(["converged"]);
  const record = await events(run);
  expect(record.map(({ seq }) => seq)).toEqual(record.map((_, at) => at + 1));
  expect(ofType(record, "agent.finished").map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  const ends = ledger.signatures().filter(({ what }) => what === "end");
  expect(ends.map(({ iteration, worker }) => [iteration, worker])).toEqual([
    [1, at.name],
    [2, peer.name],
    [3, peer.name],
  ]);
}

/** It takes another run: the peer has enough to do. */
async function servesAgain({ ledger, submit, outcomes }: Cluster, { name }: Machine) {
  const more: string[] = [];
  await waitFor(
    async () => {
      more.push(await submit(taskOf(ledger.agent(0.3))));
      return ledger.signatures().some(({ run, worker }) => worker === name && more.includes(run));
    },
    { everyMs: 300 },
  );
  expect(new Set(await outcomes(more))).toEqual(new Set(["converged"]));
}

it("a worker killed with -9 leaves no agent behind, and a peer goes on from the last finished step", async () => {
  const { fleet, run, at, peer } = await underWay();
  at.kill("SIGKILL");
  await waitFor(() => fleet.ledger.alive(at.name).length === 0);
  await wentOn(fleet, run, at, peer);
});

it.each(["silent", "reset"] as const)(
  "a worker cut off from the database (%s) ends its agent before its time is up, a peer goes on, and it serves again once healed",
  async (how) => {
    // Longer than a worker may be without the database (15 s, LOST_MS), so that it is not the agent that ends by itself.
    const { fleet, run, at, peer } = await underWay(40);
    at.line.cut(how);
    await waitFor(() => fleet.ledger.alive(at.name).length === 0);
    const ends = fleet.ledger.signatures().filter(({ what, iteration }) => what === "end" && iteration === 2);
    expect(ends).toEqual([]);
    await waitFor(() =>
      fleet.ledger.signatures().some(({ iteration, worker }) => iteration === 2 && worker === peer.name),
    );
    expect(await fleet.converge("stop", run)).toMatchObject({ code: 0 });
    at.line.heal();
    await at.says(/joining again/);
    await servesAgain(fleet, at);
    expect(await fleet.outcomes([run])).toEqual(["stopped"]);
  },
);

it("a worker that was stopped ends its agent when it wakes, writes nothing, and serves again", async () => {
  const { fleet, run, at, peer } = await underWay();
  at.kill("SIGSTOP");
  await waitFor(() =>
    fleet.ledger.signatures().some(({ iteration, worker }) => iteration === 2 && worker === peer.name),
  );
  const before = await fleet.events(run);
  at.kill("SIGCONT");
  await at.says(/joining again/);
  expect(fleet.ledger.alive(at.name)).toEqual([]);
  expect(await fleet.outcomes([run])).toEqual(["converged"]);
  // One went on with it, and nobody besides: what came after is one process's, number upon number.
  const after = await fleet.events(run);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1));
  expect(after.filter(({ type }) => type === "run.resumed")).toHaveLength(1);
  expect(at.said()).not.toMatch(new RegExp(`run ${run}: converged`));
  await servesAgain(fleet, at);
});
