import { expect, it } from "vitest";
import { type Cluster, cluster, type Machine, taskOf } from "../support/cluster.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** Two workers, and a run in its second iteration on one of them. */
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

/** Asserts that no recorded iteration ran twice and that the peer continued from there. */
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

/** Submits runs until this worker takes one. */
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

it("a worker killed with -9 leaves no agent behind, and a peer continues from the last finished step", async () => {
  const { fleet, run, at, peer } = await underWay();
  at.kill("SIGKILL");
  await waitFor(() => fleet.ledger.alive(at.name).length === 0);
  await wentOn(fleet, run, at, peer);
});

it.each(["silent", "reset"] as const)(
  "a worker without a database connection (%s) kills its agent, a peer takes over, and it serves again once healed",
  async (how) => {
    // Longer than a worker may lose contact (15 s, LOST_MS), so that the agent does not end by itself.
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

it("a worker stopped with SIGSTOP kills its agent when it wakes, writes nothing and serves again", async () => {
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
  // Exactly one process continued: the later events have consecutive numbers.
  const after = await fleet.events(run);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1));
  expect(after.filter(({ type }) => type === "run.resumed")).toHaveLength(1);
  expect(at.said()).not.toMatch(new RegExp(`run ${run}: converged`));
  await servesAgain(fleet, at);
});
