import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { BY, MARK, processMark } from "#system/guard";
import { sweep } from "#system/sweep";
import { isAlive } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";

const RUN = `sweep-test-${process.pid}`;

function start(env: Readonly<Record<string, string>>, args: readonly string[] = ["1000"]): ChildProcess {
  const child = spawn("sleep", args, {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env.PATH, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const alive = (child: ChildProcess) => child.pid !== undefined && isAlive(child.pid);

describe("sweep", () => {
  it("kills and names every process that carries the run's mark", async () => {
    const marked = [start({ [MARK]: RUN }), start({ FIRST: "1", [MARK]: RUN, LAST: "1" })];
    await waitFor(() => marked.every(alive));
    const ended = await sweep(RUN);
    expect(marked.filter(alive)).toEqual([]);
    expect(ended.sort()).toEqual(marked.map(({ pid }) => `sleep (${pid})`).sort());
  });

  it("leaves processes of other runs alone", async () => {
    const foreign = [
      start({}),
      start({ [MARK]: `${RUN}0` }),
      start({ [MARK]: RUN.slice(0, -1) }),
      start({ [MARK]: "" }),
      start({ OTHER: `${MARK}=${RUN}` }),
      start({ [`NOT_${MARK}`]: RUN }),
    ];
    await waitFor(() => foreign.every(alive));
    expect(await sweep(RUN)).toEqual([]);
    expect(foreign.filter((child) => !alive(child))).toEqual([]);
  });

  it("leaves processes of another living driver alone, and kills those of a dead one", async () => {
    const other = start({});
    await waitFor(() => alive(other));
    const mark = processMark(other.pid as number) as string;
    const theirs = start({ [MARK]: RUN, [BY]: mark });
    // The PID of a living process with another start time: the mark belongs to a dead one.
    const orphan = start({ [MARK]: RUN, [BY]: `${other.pid}.1` });
    await waitFor(() => alive(theirs) && alive(orphan));
    expect(await sweep(RUN)).toEqual([`sleep (${orphan.pid})`]);
    expect(alive(theirs)).toBe(true);
    other.kill("SIGKILL");
    await waitFor(() => !alive(other));
    expect(await sweep(RUN)).toEqual([`sleep (${theirs.pid})`]);
  });

  it("finds nothing the second time", async () => {
    start({ [MARK]: RUN });
    expect(await sweep(RUN)).toHaveLength(1);
    expect(await sweep(RUN)).toEqual([]);
  });
});
