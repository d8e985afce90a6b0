// Replays every fix with every seed, one after the other, and prints the table.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { drawBadIterations } from "./draw.mjs";
import { NotReplayable, prepare } from "./prepare.mjs";
import { toRow } from "./row.mjs";
import { runConverge } from "./run-converge.mjs";
import { findSteps } from "./steps.mjs";
import { findings, markdown, text } from "./table.mjs";

const tell = (line) => process.stderr.write(`${line}\n`);

function replaySeed({ fix, clone, kinds, root }, seed) {
  const bad = drawBadIterations(
    seed,
    Object.keys(kinds).filter((kind) => kind !== "fix"),
  );
  const steps = [...bad, "fix"].map((kind, index) => kinds[kind](index + 1));
  const ran = runConverge({ clone, gate: fix.gate, steps, state: path.join(root, `seed-${seed}`) });
  const row = toRow(ran, { name: fix.name, seed, steps, failing: fix.failing, steering: clone.steering });
  tell(
    `${row.asWanted ? "ok  " : "BAD "} ${fix.name}, seed ${seed}: ${row.outcome} in iteration ${row.iteration} of ${row.expected}`,
  );
  for (const finding of findings(row)) tell(`     ${finding}`);
  return row;
}

async function replayFix(fix, seeds, root) {
  const clone = await prepare(fix, path.join(root, "work", path.basename(fix.name)));
  tell(`${fix.name}: source ${clone.source.join(", ")}; tests ${clone.tests.join(", ")}`);
  if (clone.steering.length > 0)
    tell(`${fix.name}: steering files in the source part: ${clone.steering.join(", ")}`);
  const kinds = await findSteps(clone, fix.gate);
  return seeds.map((seed) => replaySeed({ fix, clone, kinds, root }, seed));
}

/** True when every fix could be replayed and every row is as wanted. */
export async function replayAll({ fixes, seeds, format, keep }) {
  const rows = [];
  let isReplayable = true;
  for (const fix of fixes) {
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "converge-replay-")));
    try {
      rows.push(...(await replayFix(fix, seeds, root)));
    } catch (error) {
      if (!(error instanceof NotReplayable)) throw error;
      isReplayable = false;
      tell(error.message);
    } finally {
      if (keep) tell(`${fix.name}: kept ${root}`);
      else fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  const print = { json: (all) => JSON.stringify(all, null, 2), md: markdown, text }[format];
  console.log(print(rows));
  return isReplayable && rows.every(({ asWanted }) => asWanted);
}
