import { expect, inject, it, onTestFinished } from "vitest";
import { cluster, taskOf } from "../support/cluster.ts";
import { freshDatabase } from "../support/database.ts";
import { startServer } from "../support/postgres.ts";
import { ofType } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const RUNS = 500;
const AT_ONCE = 10;
const RUNS_BETWEEN = 40;

it(`${RUNS} runs each end once while the database restarts repeatedly`, async () => {
  const server = await startServer(inject("postgresPrograms"), ["-c", "max_connections=200"]);
  onTestFinished(() => server.dispose());
  const fleet = await cluster(await freshDatabase(server.url));
  // The server stops before the rest of the test is cleaned up.
  await Promise.all([fleet.worker(["--concurrency", "3"]), fleet.worker(["--concurrency", "3"])]);
  const task = taskOf("true", 1, { gates: [{ name: "passes", command: "true" }] });

  let isOver = false;
  let restarts = 0;
  const restart = async () => {
    for (; !isOver; restarts++) {
      const ended = await fleet.endedRuns();
      await waitFor(async () => isOver || (await fleet.endedRuns()) >= ended + RUNS_BETWEEN, {
        everyMs: 200,
      });
      await server.stop(restarts % 2 ? "fast" : "immediate");
      await server.start();
    }
  };
  const restarting = restart();
  const runs: string[] = [];
  while (runs.length < RUNS)
    runs.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => fleet.submit(task)))));
  const outcomes = await fleet.outcomes(runs);
  isOver = true;
  await restarting;

  expect(new Set(outcomes)).toEqual(new Set(["converged"]));
  expect(restarts).toBeGreaterThan(3);
  for (const run of runs) {
    const record = await fleet.events(run);
    expect(record.map(({ seq }) => seq)).toEqual(record.map((_, at) => at + 1));
    expect(ofType(record, "agent.finished")).toHaveLength(1);
    expect(ofType(record, "run.ended")).toHaveLength(1);
  }
});
