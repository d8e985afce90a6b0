// Flips bytes of stored events in the SQLite file itself. Every change is detected, none is accepted.
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { TamperedError, UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { event, startedAt } from "#testing/store";
import { temporary } from "../support/folders.ts";
import { asked } from "../support/run-task.ts";
import { sandbox } from "../support/sandbox.ts";
import { execute } from "../support/tamper.ts";

const FLIPS = [1, 0x20, 0x80, 0xff];

/** A store with all data in one file, without a WAL. */
async function filled(file: string, events: readonly RunEvent[]): Promise<Buffer> {
  const store = sqlite(file);
  await store.append("a", 0, events);
  await store.close();
  execute(file, "PRAGMA wal_checkpoint(TRUNCATE)");
  return fs.readFileSync(file);
}

async function readFrom(file: string, bytes: Buffer): Promise<readonly RunEvent[] | Error> {
  for (const rest of ["-wal", "-shm"]) fs.rmSync(file + rest, { force: true });
  fs.writeFileSync(file, bytes);
  try {
    const store = sqlite(file);
    return await store.read("a").finally(() => store.close());
  } catch (error) {
    return error as Error;
  }
}

/** Flips one byte in every copy of the text: SQLite leaves copies in unused pages. */
function flipped(whole: Buffer, text: string, offset: number): Buffer {
  const bytes = Buffer.from(whole);
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1))
    bytes[at + offset] = (bytes[at + offset] ?? 0) ^ (FLIPS[offset % FLIPS.length] ?? 1);
  return bytes;
}

it("detects a flipped byte anywhere in the body of an event", async () => {
  const file = path.join(temporary(), "converge.db");
  const events = [startedAt("a", 0), event("a", 2), event("a", 3, "x".repeat(10_000)), event("a", 4)];
  const whole = await filled(file, events);
  for (const body of events.map((one) => JSON.stringify(one).slice(0, 200)))
    for (let offset = 0; offset < body.length; offset += 3) {
      const seen = await readFrom(file, flipped(whole, body, offset));
      expect(seen, `byte ${offset} of ${body}`).toBeInstanceOf(TamperedError);
    }
});

it("returns the original events or an error that names the store for a flipped byte anywhere in the file", async () => {
  const file = path.join(temporary(), "converge.db");
  const events = [startedAt("a", 0), ...Array.from({ length: 30 }, (_, index) => event("a", index + 2))];
  const whole = await filled(file, events);
  let refused = 0;
  for (let at = 0; at < whole.length; at += 61) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ (FLIPS[at % FLIPS.length] ?? 1);
    const seen = await readFrom(file, bytes);
    if (seen instanceof Error) {
      refused++;
      expect(seen instanceof TamperedError || seen instanceof UsageError, `byte ${at}: ${seen.stack}`).toBe(
        true,
      );
      expect(seen.message).toContain(file);
    } else if (seen.length < events.length) {
      // Only the newest events can be lost undetected, by a reader that did not know of them.
      expect(seen, `byte ${at}`).toEqual(events.slice(0, seen.length));
    } else expect(seen, `byte ${at}`).toEqual(events);
  }
  expect(refused).toBeGreaterThan(20);
});

it("the command line shows a run as tampered and refuses to use it, whichever event changed", async () => {
  const box = sandbox();
  const start = () =>
    box.converge("run", "-p", "Do it.", "--agent-cmd", "touch done", "--gate", "test -f done");
  expect((await start()).code).toBe(0);
  expect((await start()).code).toBe(0);
  const file = path.join(box.home, "converge.db");
  const [spoilt = "", sound = ""] = (await asked<{ run: string }>(box, "ls")).map((row) => row.run);
  for (const type of ["run.started", "gate.judged", "run.ended"]) {
    const change = (from: string, to: string) =>
      execute(file, `UPDATE events SET body = replace(body, '"${from}"', '"${to}"') WHERE run = '${spoilt}'`);
    change(type, "run.paused");
    const rows = await asked<{ run: string; state: string }>(box, "ls");
    expect(rows.map(({ run, state }) => [run, state])).toEqual([
      [spoilt, "tampered"],
      [sound, "converged"],
    ]);
    for (const command of ["show", "resume", "diff", "watch", "stop", "logs"]) {
      const { code, stdout, stderr } = await box.converge(command, spoilt);
      expect([command, code, stdout]).toEqual([command, 5, ""]);
      expect(stderr).toContain(`run ${spoilt} was changed from outside`);
      expect(stderr).not.toContain("    at ");
    }
    change("run.paused", type);
  }
});

it("ls marks a tampered run", async () => {
  const box = sandbox();
  await box.converge("run", "-p", "Do it.", "--agent-cmd", "touch done", "--gate", "test -f done");
  execute(path.join(box.home, "converge.db"), "DELETE FROM events WHERE seq = 3");
  const { code, stdout } = await box.converge("ls");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[a-z0-9]{8} +tampered +just now$/m);
});
