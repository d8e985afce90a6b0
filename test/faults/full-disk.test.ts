import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { taskFile } from "../support/run-task.ts";
import { ofType, sandbox } from "../support/sandbox.ts";

const CLI = fileURLToPath(new URL("../../bin/converge.js", import.meta.url));
const DISK = 1024 * 1024;
const STEP = 32 * 1024;

/** A run with its state on a small disk with `left` bytes free; the space is freed before the resume. */
async function onFullDisk(left: number) {
  const box = sandbox();
  const kept = path.join(box.dir, "..", "kept");
  const agent =
    "echo $CONVERGE_ITERATION > n; head -c 60000 /dev/urandom > made-$CONVERGE_ITERATION; seq 5000";
  box.write(
    taskFile({
      agent: { type: "command", command: agent },
      gates: ['test "$(cat n)" = 3'],
      strategy: { type: "fixed", iterations: 3 },
      isolation: "off",
    }),
  );
  const converge = `"${process.execPath}" "${CLI}"`;
  const script = `
    head -c ${DISK - left} /dev/zero > "$CONVERGE_HOME/filler"
    ${converge} run; first=$?
    rm "$CONVERGE_HOME/filler"
    if ${converge} ls --json | grep -q .; then ${converge} resume; else ${converge} run; fi; second=$?
    cp -r "$CONVERGE_HOME" "${kept}"
    echo "$first $second" > ../codes`;
  const small = ["--size", String(DISK), "--tmpfs", box.home];
  const { stdout, stderr } = spawnSync("bwrap", ["--dev-bind", "/", "/", ...small, "bash", "-c", script], {
    cwd: box.dir,
    env: { ...process.env, CONVERGE_HOME: box.home, XDG_CONFIG_HOME: path.join(box.dir, "..", "config") },
    encoding: "utf8",
  });
  const [first = -1, second = -1] = box.read("../codes").split(" ").map(Number);
  const store = sqlite(path.join(kept, "converge.db"));
  const [run] = await store.runs();
  const events = await store.read(run?.id ?? "");
  await store.close();
  return { box, output: `${stdout}\n${stderr}`, first, second, events };
}

it("a full disk pauses the run at any point, and a resume loses and duplicates nothing", async () => {
  const ends = new Set<number>();
  for (let left = 0; left < DISK; left += STEP) {
    const { box, output, first, second, events } = await onFullDisk(left);
    ends.add(first);
    // 2 when there was no room to record the pause.
    expect([0, 2, 4], output).toContain(first);
    if (first !== 0) expect(output).toMatch(/free some space/i);
    const paused = ofType(events, "run.paused").map(({ reason }) => reason);
    const words = expect.stringMatching(
      `^the disk is full: \\d+ KiB left in ${box.home}; free some space \\(`,
    );
    expect(paused, output).toEqual(first === 4 ? [words] : []);
    // There is nothing to resume when the first run completed.
    expect(second, output).toBe(first === 0 ? 2 : 0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(ofType(events, "agent.finished").map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
    expect(ofType(events, "run.ended")).toMatchObject([{ outcome: "converged" }]);
    expect(fs.readdirSync(box.dir).sort()).toEqual(["converge.yaml", "made-1", "made-2", "made-3", "n"]);
  }
  expect([...ends].sort()).toEqual([0, 2, 4]);
}, 300_000);
