// Appends per second of the stores, side by side: npm run build, then CONVERGE_DATABASE_URL=postgres://… node bench/stores.mjs
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { postgres } from "../dist/stores/postgres/postgres-store.js";
import { sqlite } from "../dist/stores/sqlite/sqlite-store.js";

const EVENTS = 500;
const url = process.env.CONVERGE_DATABASE_URL;
if (!url) {
  console.error("say which database: CONVERGE_DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  process.exit(1);
}

const event = (run, seq) => ({
  type: "iteration.started",
  v: 1,
  run,
  seq,
  time: "",
  prompt: "x".repeat(2_000),
});

/** One after the other, as a run does; `writers` runs side by side, each with a store of its own. */
async function measure(open, writers) {
  const stores = Array.from({ length: writers }, open);
  for (const store of stores) await store.runs();
  const began = performance.now();
  await Promise.all(
    stores.map(async (store) => {
      const run = randomUUID();
      for (let seq = 1; seq <= EVENTS; seq++) await store.append(run, seq - 1, [event(run, seq)]);
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  for (const store of stores) await store.close();
  return Math.round((writers * EVENTS) / seconds);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "converge-bench-"));
console.log(`appends per second, ${EVENTS} events of 2 kB a run`);
for (const writers of [1, 4, 8]) {
  const file = await measure(() => sqlite(path.join(folder, "converge.db")), writers);
  const shared = await measure(() => postgres(url), writers);
  console.log(`${writers} runs at once: sqlite ${file}, postgres ${shared}`);
}
fs.rmSync(folder, { recursive: true });
