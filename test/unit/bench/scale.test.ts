import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const load = (file: string) => import(pathToFileURL(path.join(root, "bench", "scale", file)).href);

it.each([
  ["inboxMs", "runs/open-ports.ts", "SHARED_INBOX_POLL_MS"],
  ["beatMs", "stores/postgres/membership.ts", "HEARTBEAT_MS"],
  ["peersMs", "engine/peers.ts", "POLL_MS"],
  ["fewPeers", "engine/peers.ts", "WORKERS_PER_POLL"],
  ["mostSeldom", "engine/peers.ts", "MAX_FACTOR"],
  ["dequeueMs", "engine/queue.ts", "POLL_MS"],
  ["statementMs", "stores/postgres/connection.ts", "STATEMENT_TIMEOUT_MS"],
])("the simulation uses the value of %s in the source", async (name, file, constant) => {
  const { CODE } = await load("constants.mjs");
  const text = fs.readFileSync(path.join(root, "src", file), "utf8");
  const [, value = ""] = text.match(new RegExp(`^const ${constant} = ([\\d_]+);`, "m")) ?? [];
  expect(CODE[name]).toBe(Number(value.replaceAll("_", "")));
});

it("matches a hand calculation without contention, and is deterministic", async () => {
  const { simulate } = await load("simulate.mjs");
  const { CODE, TASKS } = await load("constants.mjs");
  const cost = { cpuMs: 0.1, walBytes: 0 };
  const names = ["inbox", "beat", "append", "logPiece", "pack", "dequeue", "housekeeping"];
  const costs = {
    ...Object.fromEntries(names.map((name) => [name, cost])),
    flushMs: 1,
    crowds: [{ workers: 10, runs: 80, look: { cpuMs: 1 }, claim: { cpuMs: 1, walBytes: 100 } }],
  };
  const plan = {
    ...{ runs: 80, perWorker: 8, cores: 64, seed: 1, pool: 4, logs: false, watchers: 10 },
    ...{ code: CODE, tasks: TASKS, statements: { run: 10, iteration: 5 } },
  };
  const played = simulate(plan, costs, { burst: false, windowMs: 10_000 });
  const looks = played.kinds.find(({ kind }: { kind: string }) => kind === "inbox looks");
  expect(Math.abs(looks.statements - 80)).toBeLessThan(10);
  expect(simulate(plan, costs, { burst: false, windowMs: 10_000 })).toEqual(played);
  // The lock serializes the claims: each holds it for its CPU time plus the disk flush.
  const { seconds, lockWait } = simulate(plan, costs, { burst: true, windowMs: 60_000 });
  expect(seconds * 1_000).toBeGreaterThanOrEqual(80 * 2);
  expect(lockWait.worst).toBeGreaterThan(0);
});
