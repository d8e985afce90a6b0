import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ProcessRequest, runProcess } from "#system/processes/process";
import { folders, numbersIn } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";

const BUILT = fileURLToPath(new URL("../../../dist/system/processes/process.js", import.meta.url));
const MB = 1024 * 1024;
let count = 0;

function request(command: ProcessRequest["command"], more: Partial<ProcessRequest> = {}): ProcessRequest {
  const { dir, files } = folders();
  return {
    command,
    cwd: dir,
    run: `process-test-${process.pid}-${++count}`,
    stdout: path.join(files, "stdout.log"),
    stderr: path.join(files, "stderr.log"),
    timeoutMs: 30_000,
    grace: { interruptMs: 150, terminateMs: 150 },
    ...more,
  };
}

const never = () => new AbortController().signal;
const out = ({ stdout }: ProcessRequest) => fs.readFileSync(stdout, "utf8");
const run = (job: ProcessRequest, signal: AbortSignal = never()) => runProcess(job, signal);

/** Starts a command that writes PIDs into `pids`, and cancels it once there are `expected` of them. */
async function cancelledAt(expected: number, job: ProcessRequest) {
  const controller = new AbortController();
  const ended = run(job, controller.signal);
  const pids = path.join(job.cwd, "pids");
  await waitFor(() => numbersIn(pids).length >= expected);
  controller.abort();
  return { end: await ended, pids: numbersIn(pids) };
}

describe("a process that exits by itself", () => {
  it.each([0, 1, 75, 255])("returns its exit code: %i", async (code) => {
    const end = await run(request(`exit ${code}`));
    expect(end).toMatchObject({ cause: "exited", exitCode: code, leftBehind: [] });
  });

  it("gets the base environment plus the unattended variables and the run's mark", async () => {
    const base = { PATH: process.env.PATH ?? "", ONLY: "this", CI: "0", CONVERGE_RUN: "forged" };
    const job = request('echo "$ONLY $MORE $CI $CONVERGE_RUN $VITEST"', { base, env: { MORE: "that" } });
    await run(job);
    expect(process.env.VITEST).toBe("true");
    expect(out(job)).toBe(`this that 1 ${job.run} \n`);
  });

  it("accepts a program with arguments", async () => {
    const job = request(["printf", "%s|", "two words", "$HOME", "*", ""]);
    await run(job);
    expect(out(job)).toBe("two words|$HOME|*||");
  });

  it("gets the given environment instead of ours", async () => {
    const { PATH = "" } = process.env;
    const base = { PATH, GIVEN: "given" };
    const job = request('echo "[$HOME] $GIVEN $MORE $CI $CONVERGE_RUN"', { base, env: { MORE: "more" } });
    await run(job);
    expect(out(job)).toBe(`[] given more 1 ${job.run}\n`);
  });

  it("runs unattended: no terminal, prompts or pager, and knows its run", async () => {
    const job = request(
      'echo "$CI $GIT_TERMINAL_PROMPT $PAGER $CONVERGE_RUN"; test -t 0 || test -t 1 || echo dumb',
    );
    await run(job);
    expect(out(job)).toBe(`1 0 cat ${job.run}\ndumb\n`);
  });

  it("has PWD set to its folder, because some programs trust it over the system", async () => {
    const job = request(["/usr/bin/env"], { env: {} });
    await run({ ...job, base: { PWD: "/elsewhere" } });
    expect(out(job).split("\n")).toContain(`PWD=${job.cwd}`);
  });

  it("resolves programs on the PATH of the base environment", async () => {
    const base = { PATH: "/bin:/usr/bin", ONLY: "1" };
    const job = request("env", { base, env: { OWN: "2" } });
    await run(job);
    const names = out(job)
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.filter(Boolean).sort()).toEqual(
      [
        "CI",
        "CONVERGE_BY",
        "CONVERGE_RUN",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "ONLY",
        "OWN",
        "PAGER",
        "PATH",
        "PWD",
      ].sort(),
    );
    const whole = request(["sh", "-c", "tr '\\0' ' ' < /proc/$$/cmdline"], { base });
    await run(whole);
    expect(out(whole)).toMatch(/^\/(usr\/)?bin\/sh -c /);
    const elsewhere = request(["env"], { base: { PATH: "/no/such/folder" } });
    expect(await run(elsewhere)).toMatchObject({ cause: "exited", exitCode: 127 });
  });

  it("gets empty standard input and does not block on it", async () => {
    expect((await run(request("cat; read x || exit 7"))).exitCode).toBe(7);
  });

  it("reads a prompt of 200 KB from standard input", async () => {
    const { files } = folders();
    const prompt = path.join(files, "prompt");
    fs.writeFileSync(prompt, "ä".repeat(100_000));
    const job = request("wc -c", { stdin: prompt });
    await run(job);
    expect(out(job).trim()).toBe("200000");
  });

  it("appends to its logs and returns the offset of its own output", async () => {
    const job = request("echo first; echo oops >&2");
    expect(await run(job)).toMatchObject({ stdoutFrom: 0, stderrFrom: 0 });
    expect(await run({ ...job, command: "echo second" })).toMatchObject({ stdoutFrom: 6, stderrFrom: 5 });
    expect(out(job)).toBe("first\nsecond\n");
    expect(fs.statSync(job.stdout).mode & 0o777).toBe(0o600);
  });

  it("streams its output while it runs", async () => {
    const heard: string[] = [];
    const go = path.join(folders().dir, "go");
    const job = request(`echo one; while ! test -e '${go}'; do sleep 0.02; done; echo two >&2`, {
      onOutput: (text) => heard.push(text),
    });
    const ended = run(job);
    await waitFor(() => heard.join("").includes("one"));
    fs.writeFileSync(go, "");
    await ended;
    expect(heard.join("")).toBe("one\ntwo\n");
  });
});

describe("a process that cannot be started", () => {
  it("reports that its folder is gone", async () => {
    const job = request("echo hi", { cwd: "/no/such/folder" });
    expect(await run(job)).toMatchObject({
      cause: "not-started",
      error: "the folder /no/such/folder is gone",
    });
  });

  it("reports that its folder is not a folder", async () => {
    const file = path.join(folders().dir, "file");
    fs.writeFileSync(file, "");
    expect(await run(request("echo hi", { cwd: file }))).toMatchObject({ cause: "not-started" });
  });

  it("reports that its logs cannot be written, and leaks no file handle", async () => {
    const { dir } = folders();
    const job = request("echo hi", { stderr: dir });
    const end = await run(job);
    expect(end.cause).toBe("not-started");
    expect(end.error).toContain(dir);
    const open = fs.readdirSync("/proc/self/fd").map((name) => {
      const link = `/proc/self/fd/${name}`;
      return fs.lstatSync(link, { throwIfNoEntry: false }) ? fs.readlinkSync(link) : "";
    });
    expect(open).not.toContain(job.stdout);
  });

  it.each(["FIFO", "link"])("does not block on or write through a %s in place of its log", async (kind) => {
    const job = request("echo hi");
    const target = path.join(job.cwd, "target");
    fs.writeFileSync(target, "untouched");
    if (kind === "link") fs.symlinkSync(target, job.stdout);
    else await run(request(["mkfifo", job.stdout]));
    expect((await run(job)).cause).toBe("not-started");
    expect(fs.readFileSync(target, "utf8")).toBe("untouched");
  });

  it("exits with 127 when the program is missing, and 126 when it is not executable", async () => {
    expect((await run(request(["no-such-program-anywhere"]))).exitCode).toBe(127);
    expect((await run(request(["/etc/passwd"]))).exitCode).toBe(126);
  });
});

describe("a process that must be ended", () => {
  it("is killed at its timeout", async () => {
    expect(await run(request("sleep 1000", { timeoutMs: 100 }))).toMatchObject({ cause: "timed-out" });
  });

  it("is killed at its idle timeout, but not while it prints", async () => {
    const chatty = await run(request("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done", { idleMs: 500 }));
    expect(chatty).toMatchObject({ cause: "exited", exitCode: 0 });
    const quiet = request("echo one; sleep 1000", { idleMs: 300 });
    expect(await run(quiet)).toMatchObject({ cause: "idle" });
  });

  it("is killed at its idle timeout when it is stopped (SIGSTOP)", async () => {
    expect(await run(request("kill -STOP $$", { idleMs: 300 }))).toMatchObject({ cause: "idle" });
  });

  it("is killed with its children when it is cancelled", async () => {
    const { end, pids } = await cancelledAt(2, request("echo $$ > pids; sleep 1000 & echo $! >> pids; wait"));
    expect(end.cause).toBe("cancelled");
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("is not started when it was cancelled before", async () => {
    const job = request("touch started");
    expect(await run(job, AbortSignal.abort())).toMatchObject({ cause: "cancelled" });
    expect(fs.readdirSync(job.cwd)).toEqual([]);
  });

  it("can clean up after SIGINT", async () => {
    const polite = request("trap 'echo tidied; exit 0' INT; echo $$ > pids; while :; do sleep 0.02; done", {
      grace: { interruptMs: 20_000, terminateMs: 20_000 },
    });
    const { end } = await cancelledAt(1, polite);
    expect(end.cause).toBe("cancelled");
    expect(out(polite)).toBe("tidied\n");
  });

  it("gets SIGINT, then SIGTERM, then SIGKILL when it ignores the first two", async () => {
    const deaf = request(
      "trap 'echo INT' INT; trap 'echo TERM' TERM; trap '' HUP; echo $$ > pids; while :; do sleep 0.02; done",
    );
    const { end, pids } = await cancelledAt(1, deaf);
    expect(out(deaf)).toBe("INT\nTERM\n");
    expect(end).toMatchObject({ cause: "cancelled", exitCode: null });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("keeps the first cause when a second follows", async () => {
    const controller = new AbortController();
    const job = request("trap '' INT TERM; echo $$ > pids; while :; do sleep 0.02; done", {
      timeoutMs: 600,
    });
    const ended = run(job, controller.signal);
    await waitFor(() => numbersIn(path.join(job.cwd, "pids")).length === 1);
    controller.abort();
    expect((await ended).cause).toBe("cancelled");
  });
});

describe("leftover processes", () => {
  it("are killed and named when they stay in the group and hold the output open", async () => {
    const job = request("sleep 1000 & echo $! > pids; echo done");
    const end = await run(job);
    expect(end).toMatchObject({ cause: "exited", exitCode: 0 });
    const [pid = 0] = numbersIn(path.join(job.cwd, "pids"));
    expect(end.leftBehind.join()).toMatch(new RegExp(`^\\w+ \\(${pid}\\)$`));
    expect(isAlive(pid)).toBe(false);
  });

  it("are killed and named when they left the session with setsid", async () => {
    const flight = "(setsid sh -c 'echo $$ > pids; sleep 1000 & echo $! >> pids; wait' &)";
    const job = request(`${flight}; while ! test "$(wc -l < pids)" = 2; do sleep 0.02; done 2>/dev/null`);
    const end = await run(job);
    const pids = numbersIn(path.join(job.cwd, "pids"));
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
    for (const pid of pids) expect(end.leftBehind.join()).toContain(`(${pid})`);
  });

  it("are reported as none when nothing is left", async () => {
    expect((await run(request("sleep 0.01 & wait; true"))).leftBehind).toEqual([]);
  });
});

describe("process logs", () => {
  it("are created on the first output, even when their folder was deleted", async () => {
    const job = request(`rm -r "$FILES"; echo hi`);
    await run({ ...job, env: { FILES: path.dirname(job.stdout) } });
    expect(out(job)).toBe("hi\n");
    expect(fs.existsSync(job.stderr)).toBe(false);
  });

  it("reject the call after the process ends when they cannot be written", async () => {
    const job = request(`rm -r "$FILES"; touch "$FILES"; echo hi; touch done`);
    const ended = run({ ...job, env: { FILES: path.dirname(job.stdout) } });
    await expect(ended).rejects.toThrow(`the log ${job.stdout} cannot be written: `);
    expect(fs.existsSync(path.join(job.cwd, "done"))).toBe(true);
  });
});

describe("a flood of output", () => {
  it.each([
    ["300 MB of NULs", `head -c ${300 * MB} /dev/zero`, 300 * MB],
    ["200 MB without a newline", `head -c ${200 * MB} /dev/zero | tr '\\000' x`, 200 * MB],
  ])("uses constant memory, and the log omits only the middle: %s", async (_, flood, size) => {
    const command = `echo begin; ${flood}; printf '\\nthe end'`;
    let heard = 0;
    let most = 0;
    const before = process.memoryUsage.rss();
    const job = request(command, {
      onOutput: (text) => {
        heard = Math.max(heard, text.length);
        most = Math.max(most, process.memoryUsage.rss());
      },
    });
    const end = await run(job);
    most = Math.max(most, process.memoryUsage.rss());
    expect(end).toMatchObject({ cause: "exited", exitCode: 0 });
    const log = fs.readFileSync(job.stdout, "latin1");
    const [, left] = /\n\[… (\d+) bytes left out\]\n/.exec(Buffer.from(log, "latin1").toString("utf8")) ?? [];
    expect(log.startsWith("begin\n") && log.endsWith("\nthe end")).toBe(true);
    expect(log.length - Buffer.byteLength(`\n[… ${left} bytes left out]\n`) + Number(left)).toBe(size + 14);
    expect(heard).toBeLessThanOrEqual(16_384);
    expect((most - before) / MB).toBeLessThan(100);
  });
});

/** Starts a program that runs one process after the other, and reads the PIDs that they write. */
function harness(...commands: string[]) {
  const job = commands.map((command) => request(command));
  const script = `
    const { runProcess } = await import(process.argv[1]);
    for (const request of JSON.parse(process.argv[2])) await runProcess(request, new AbortController().signal);`;
  const args = ["--input-type=module", "-e", script, BUILT, JSON.stringify(job)];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const pids = () => job.flatMap(({ cwd }) => numbersIn(path.join(cwd, "pids")));
  return { child, pids };
}

/** Child PIDs of a process. */
function childrenOf(pid: number | undefined): number[] {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

describe("when Converge is killed", () => {
  it("the guard kills the whole process group", async () => {
    const { child, pids } = harness(
      "trap '' INT TERM HUP; echo $$ > pids; sleep 1000 & echo $! >> pids; wait",
    );
    await waitFor(() => pids().length === 2);
    expect(pids().every(isAlive)).toBe(true);
    child.kill("SIGKILL");
    await waitFor(() => !pids().some(isAlive));
  });

  it("the guard kills processes that left the session with setsid", async () => {
    const { child, pids } = harness("setsid sh -c 'echo $$ > pids; sleep 1000' & sleep 1000");
    await waitFor(() => pids().length === 1);
    child.kill("SIGKILL");
    await waitFor(() => !pids().some(isAlive));
  });

  it("a new guard kills the processes when the first guard was killed", async () => {
    const { child, pids } = harness("echo $$ > pids; sleep 1", "echo $$ > pids; sleep 1000");
    await waitFor(() => pids().length === 1);
    const guards = childrenOf(child.pid).filter((pid) => !pids().includes(pid));
    expect(guards).toHaveLength(1);
    for (const guard of guards) process.kill(guard, "SIGKILL");
    await waitFor(() => pids().length === 2);
    child.kill("SIGKILL");
    await waitFor(() => !pids().some(isAlive));
  });
});
