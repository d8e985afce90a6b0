import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Cluster, cluster, type Machine, taskOf } from "../support/cluster.ts";
import { gitIn, repository } from "../support/repository.ts";
import { ofType } from "../support/sandbox.ts";

const CYCLES = 100;
const FLEET = 3;
const SEED = Number(process.env.CHAOS_SEED ?? 20_261_116);

/** A seeded pseudo-random generator from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Faults of a worker, each followed by its recovery. */
const HARM: readonly ((fleet: Cluster, worker: Machine, ms: number) => Promise<Machine>)[] = [
  async (fleet, worker) => {
    worker.kill("SIGKILL");
    await worker.ended;
    return fleet.start(["--concurrency", "2"]);
  },
  async (_, worker, ms) => {
    worker.kill("SIGSTOP");
    await sleep(ms);
    worker.kill("SIGCONT");
    return worker;
  },
  async (_, { line, ...worker }, ms) => {
    line.cut(ms % 2 < 1 ? "silent" : "reset");
    await sleep(ms);
    line.heal();
    return { line, ...worker };
  },
];

/** Each worker has its own share of the cycles, so that several fail at the same time. */
async function trouble(fleet: Cluster, first: Machine, cycles: number, random: () => number) {
  let worker = first;
  for (let cycle = 0; cycle < cycles; cycle++) {
    await sleep(random() * 1_500);
    const harm = HARM[Math.floor(random() * HARM.length)] as (typeof HARM)[number];
    // Mostly short, at times longer than the peers wait.
    worker = await harm(fleet, worker, random() < 0.15 ? 6_500 : random() * 1_000);
  }
}

it(`${CYCLES} cycles of kills, stops and network cuts lose no run and duplicate no iteration or delivery`, async () => {
  const fleet = await cluster();
  const random = numbers(SEED);
  const workers = await Promise.all(
    Array.from({ length: FLEET }, () => fleet.worker(["--concurrency", "2"])),
  );
  const patches = path.join(fleet.root, "patches");
  fs.mkdirSync(patches);
  const origin = path.join(fleet.root, "origin");
  repository(origin, { "README.md": "Something to work on.\n" });
  // Slow enough that some worker is hit in the middle of a push.
  const hook = path.join(origin, ".git/hooks/pre-receive");
  fs.writeFileSync(hook, "#!/bin/sh\nsleep 0.3\n", { mode: 0o755 });
  /** Every other run works on a repository and pushes a branch. */
  const isPushed = (at: number) => at % 2 === 1;
  const ways = (at: number) =>
    isPushed(at)
      ? { workspace: { git: origin, ref: "main" }, deliver: "branch" }
      : { deliver: { type: "patch", file: path.join(patches, `${at}.patch`) } };
  const runs: string[] = [];
  let isOver = false;
  const stream = async () => {
    while (!isOver) {
      const at = runs.length;
      runs.push(await fleet.submit(taskOf(fleet.ledger.agent(0.03), 2 + (at % 2), ways(at))));
      await sleep(500);
    }
  };
  const streaming = stream();
  const shares = workers.map((worker, at) =>
    trouble(fleet, worker, Math.floor((CYCLES + at) / FLEET), random),
  );
  await Promise.all(shares);
  isOver = true;
  await streaming;

  expect(new Set(await fleet.outcomes(runs))).toEqual(new Set(["converged"]));
  const signed = fleet.ledger.signatures().filter(({ what }) => what === "end");
  for (const [at, run] of runs.entries()) {
    const record = await fleet.events(run);
    expect(record.map(({ seq }) => seq)).toEqual(record.map((_, index) => index + 1));
    const iterations = Array.from({ length: 2 + (at % 2) }, (_, index) => index + 1);
    // An iteration runs twice only when its files were lost with the worker, which the record says.
    const again = ofType(record, "iteration.interrupted").filter(({ reason }) =>
      /files were kept/.test(reason),
    );
    const done = [...iterations, ...again.map(({ iteration }) => iteration)].sort();
    expect(ofType(record, "agent.finished").map(({ iteration }) => iteration)).toEqual(done);
    // A worker that died between its agent's end and the event repeats the iteration; a recorded one never repeats.
    const ends = new Set(signed.filter((one) => one.run === run).map(({ iteration }) => iteration));
    expect([...ends].sort()).toEqual(iterations);
    expect(ofType(record, "run.delivered")).toHaveLength(1);
    expect(ofType(record, "run.ended")).toHaveLength(1);
  }
  const all = (await Promise.all(runs.map((run) => fleet.events(run)))).flat();
  expect(ofType(all, "run.delivered").flatMap(({ delivered }) => delivered.problem ?? [])).toEqual([]);
  expect(fs.readdirSync(patches)).toHaveLength(runs.filter((_, at) => !isPushed(at)).length);
  const pushed = runs.filter((_, at) => isPushed(at));
  const git = gitIn(origin);
  const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads/converge/")
    .trim()
    .split("\n");
  expect(branches.sort()).toEqual(pushed.map((run) => `converge/${run}`).sort());
  for (const branch of branches) {
    expect(git("rev-list", "--count", `main..${branch}`).trim()).toBe("1");
    // The files moved with the run: one line per iteration, whichever worker ran it.
    expect(git("show", `${branch}:README.md`)).toBe(
      "Something to work on.\niteration 1\niteration 2\niteration 3\n",
    );
  }
  // At least one worker was hit while it drove a run.
  expect(ofType(all, "run.resumed").length).toBeGreaterThan(0);
});
