import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockHolder, takeLock } from "#system/lock";
import { temporary } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";

const BUILT = fileURLToPath(new URL("../../../dist/system/lock.js", import.meta.url));

/** Another process that takes the lock and holds it until it is killed. Writes "held" or "not" to its file. */
function taker(dir: string, run: string): { child: ChildProcess; answer: () => string } {
  const file = path.join(dir, `${run}.answer`);
  const script = `
    const { takeLock } = await import(process.argv[1]);
    const [dir, run, file] = process.argv.slice(2);
    const lock = takeLock(dir, "workspace", run);
    (await import("node:fs")).writeFileSync(file, lock.held ? "held" : "not");
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "-e", script, BUILT, dir, run, file];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, answer: () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "") };
}

describe("takeLock", () => {
  it("gives the lock to the first caller, and returns the holder and its start time to the second", () => {
    const dir = temporary();
    const first = takeLock(dir, "workspace", "run-1");
    expect(first.held).toBe(true);
    const second = takeLock(dir, "workspace", "run-2");
    expect(second).toEqual({
      held: false,
      holder: {
        run: "run-1",
        pid: process.pid,
        host: os.hostname(),
        since: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    if (first.held) first.release();
  });

  it("succeeds again after a release", () => {
    const dir = temporary();
    const first = takeLock(dir, "workspace", "run-1");
    expect(lockHolder(dir, "workspace")).toMatchObject({ run: "run-1" });
    if (first.held) first.release();
    expect(lockHolder(dir, "workspace")).toBeUndefined();
    const second = takeLock(dir, "workspace", "run-2");
    expect(second.held).toBe(true);
    if (second.held) second.release();
  });

  it("keeps locks of different names apart", () => {
    const dir = temporary();
    const locks = ["one", "two"].map((name) => takeLock(dir, name, "run-1"));
    expect(locks.map(({ held }) => held)).toEqual([true, true]);
    for (const lock of locks) if (lock.held) lock.release();
  });

  it("reports no holder before the lock is taken, and lockHolder does not take it", () => {
    const dir = temporary();
    expect(lockHolder(dir, "workspace")).toBeUndefined();
    const lock = takeLock(dir, "workspace", "run-1");
    expect(lock.held).toBe(true);
    for (let look = 0; look < 3; look++) expect(lockHolder(dir, "workspace")).toMatchObject({ run: "run-1" });
    if (lock.held) lock.release();
  });

  it("succeeds after the holder was killed", async () => {
    const dir = temporary();
    const { child, answer } = taker(dir, "run-1");
    await waitFor(() => answer() === "held");
    expect(takeLock(dir, "workspace", "run-2")).toMatchObject({ held: false, holder: { pid: child.pid } });
    child.kill("SIGKILL");
    await waitFor(() => lockHolder(dir, "workspace") === undefined);
    const next = takeLock(dir, "workspace", "run-2");
    expect(next.held).toBe(true);
    expect(lockHolder(dir, "workspace")).toMatchObject({ run: "run-2" });
    if (next.held) next.release();
  });

  it("succeeds in exactly one of ten competing processes", async () => {
    const dir = temporary();
    const takers = Array.from({ length: 10 }, (_, index) => taker(dir, `run-${index}`));
    await waitFor(() => takers.every(({ answer }) => answer() !== ""));
    const held = takers.filter(({ answer }) => answer() === "held");
    expect(held).toHaveLength(1);
    expect(lockHolder(dir, "workspace")).toMatchObject({ pid: held[0]?.child.pid });
  });

  it("creates private files", () => {
    const dir = path.join(temporary(), "locks");
    const lock = takeLock(dir, "workspace", "run-1");
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
    if (lock.held) lock.release();
  });
});
