import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Enclosure } from "#system/enclosure/enclosure";
import { readTail } from "#system/files";
import { type ProcessRequest, runProcess } from "#system/processes/process";
import { uniqueRun } from "#testing/unique-run";
import { folders, write } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";
import { waitFor } from "../../support/wait.ts";

const never = () => new AbortController().signal;

interface Place {
  readonly dir: string;
  readonly files: string;
  readonly state: string;
}

/** A workspace, and a hidden state folder that contains the log folder. */
function place(): Place {
  const { dir, files } = folders();
  const logs = path.join(files, "run", "agent");
  fs.mkdirSync(logs, { recursive: true });
  write(files, { "converge.db": "everything" });
  return { dir, files: logs, state: files };
}

function request(
  { dir, files, state }: Place,
  command: ProcessRequest["command"],
  enclosure: Partial<Enclosure> = {},
  more: Partial<ProcessRequest> = {},
): ProcessRequest {
  return {
    command,
    cwd: dir,
    run: uniqueRun(),
    stdout: path.join(files, "stdout.log"),
    stderr: path.join(files, "stderr.log"),
    timeoutMs: 30_000,
    enclosure: {
      by: "bwrap",
      strict: false,
      network: true,
      hidden: [state],
      reads: [],
      writes: [],
      ...enclosure,
    },
    ...more,
  };
}

async function outputOf(job: ProcessRequest): Promise<string> {
  await runProcess(job, never());
  return [job.stdout, job.stderr].map((log) => readTail(log, 65_536)).join("");
}

/** Processes outside the sandbox's view whose arguments contain the word. */
function processesWith(word: string): number[] {
  return fs
    .readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").includes(word) && isAlive(pid);
      } catch {
        return false;
      }
    });
}

let count = 0;
/** A sleep duration that no other process uses. */
const napTime = () => String(100_000 + (process.pid % 10_000) * 100 + ++count);

/** A daemon that left its session, its parent and its environment. */
const daemon = (nap: string) =>
  `(setsid env -i sh -c '(sleep ${nap} &) & touch ready; exec sleep ${nap}' > /dev/null 2>&1 &)`;

describe("a process in the basic sandbox", () => {
  it.each([0, 1, 75, 126, 127, 137])("passes the exit code through: %i", async (code) => {
    expect(await runProcess(request(place(), `exit ${code}`), never())).toMatchObject({
      cause: "exited",
      exitCode: code,
    });
  });

  it("reports a missing or non-executable program the way a shell does", async () => {
    const here = place();
    write(here.dir, { "no-program": "text" });
    const missing = request(here, ["no-such-program", "--yes"]);
    expect(await runProcess(missing, never())).toMatchObject({ cause: "exited", exitCode: 127 });
    expect(fs.readFileSync(missing.stderr, "utf8")).toContain("no-such-program: not found");
    const refused = await runProcess(request(here, ["./no-program"]), never());
    expect(refused).toMatchObject({ cause: "exited", exitCode: 126 });
  });

  it("passes arguments and standard input unchanged", async () => {
    const here = place();
    write(here.files, { in: "from the file\n" });
    const job = request(here, ["sh", "-c", 'printf "%s|" "$@"; cat', "sh", "two words", "$HOME", ""]);
    expect(await outputOf({ ...job, stdin: path.join(here.files, "in") })).toBe(
      "two words|$HOME||from the file\n",
    );
  });

  it("sees only its own processes", async () => {
    expect(await outputOf(request(place(), `test -d /proc/${process.pid} || echo alone`))).toBe("alone\n");
  });

  it("cannot see or write the state folder", async () => {
    const here = place();
    const job = request(here, `ls -A ${here.state}; touch ${here.state}/x || echo refused`);
    expect(await outputOf(job)).toMatch(/^refused\n.*Read-only file system\n$/);
    expect(fs.readdirSync(here.state).toSorted()).toEqual(["converge.db", "run"]);
  });

  it("cannot unmount the hidden folder, even as root", async () => {
    const here = place();
    const lift = `umount ${here.state}; unshare -m umount ${here.state}; unshare -rm umount ${here.state}; cat ${here.state}/converge.db`;
    expect(await outputOf(request(here, lift))).not.toContain("everything");
  });

  it("sees and changes only the granted files in the hidden folder", async () => {
    const here = place();
    write(here.files, { "prompt.md": "Do it.", "report/old": "" });
    const file = (name: string) => path.join(here.files, name);
    const script = `cat ${file("prompt.md")}; echo > ${file("prompt.md")}; echo 7 > ${file("report/usage")}; ls -A ${here.files}`;
    const job = request(here, script, { reads: [file("prompt.md")], writes: [file("report")] });
    expect(await outputOf(job)).toMatch(/^Do it\.prompt\.md\nreport\n.*Read-only file system\n$/);
    expect(fs.readFileSync(file("prompt.md"), "utf8")).toBe("Do it.");
    expect(fs.readFileSync(file("report/usage"), "utf8")).toBe("7\n");
  });

  it("works in a folder inside the hidden one", async () => {
    const { files, state } = place();
    const dir = path.join(state, "worktrees", "w");
    fs.mkdirSync(dir, { recursive: true });
    const job = request({ dir, files, state }, `echo done > made; pwd; ls -A ${state} ${state}/worktrees`);
    expect(await outputOf(job)).toBe(`${dir}\n${state}:\nworktrees\n\n${state}/worktrees:\nw\n`);
    expect(fs.readFileSync(path.join(dir, "made"), "utf8")).toBe("done\n");
  });

  it("can write elsewhere and use the network", async () => {
    const here = place();
    const other = folders().dir;
    await outputOf(request(here, `echo x > ${other}/x; readlink /proc/self/ns/net > net`));
    expect(fs.readFileSync(path.join(other, "x"), "utf8")).toBe("x\n");
    expect(fs.readFileSync(path.join(here.dir, "net"), "utf8").trim()).toBe(
      fs.readlinkSync("/proc/self/ns/net"),
    );
  });
});

describe("ending a sandboxed process", () => {
  const trap = 'trap "echo heeded > heeded; exit 3" INT; touch ready; while :; do sleep 0.02; done';

  it("gives it a grace period after SIGINT and keeps its exit code", async () => {
    const here = place();
    const controller = new AbortController();
    const ended = runProcess(request(here, trap), controller.signal);
    await waitFor(() => fs.existsSync(path.join(here.dir, "ready")));
    controller.abort();
    expect(await ended).toMatchObject({ cause: "cancelled", exitCode: 3 });
    expect(fs.readFileSync(path.join(here.dir, "heeded"), "utf8")).toBe("heeded\n");
  });

  it("gives it a grace period after SIGTERM too", async () => {
    const here = place();
    const script =
      'trap "" INT; trap "echo TERM > heeded; exit 4" TERM; touch ready; while :; do sleep 0.02; done';
    const controller = new AbortController();
    const grace = { interruptMs: 50, terminateMs: 20_000 };
    const ended = runProcess(request(here, script, {}, { grace }), controller.signal);
    await waitFor(() => fs.existsSync(path.join(here.dir, "ready")));
    controller.abort();
    expect(await ended).toMatchObject({ cause: "cancelled", exitCode: 4 });
  });

  it.each(["its own end", "a stop", "its time limit", "silence"])(
    "leaves no daemon running after %s, even one that left its session, parent and environment",
    async (why) => {
      const here = place();
      const nap = napTime();
      const controller = new AbortController();
      const stays = why === "its own end" ? "" : 'trap "" INT TERM; while :; do sleep 0.02; done';
      const ready = "while [ ! -e ready ]; do sleep 0.01; done";
      const ended = runProcess(
        request(
          here,
          `${daemon(nap)}; ${ready}; ${stays}`,
          {},
          {
            grace: { interruptMs: 50, terminateMs: 50 },
            ...(why === "its time limit" && { timeoutMs: 700 }),
            ...(why === "silence" && { idleMs: 700 }),
          },
        ),
        controller.signal,
      );
      if (why === "a stop") {
        await waitFor(() => fs.existsSync(path.join(here.dir, "ready")));
        expect(processesWith(nap)).not.toEqual([]);
        controller.abort();
      }
      await ended;
      expect(fs.existsSync(path.join(here.dir, "ready"))).toBe(true);
      expect(processesWith(nap)).toEqual([]);
    },
  );
});

describe("a process in the strict sandbox", () => {
  const strict = { strict: true };

  it("writes in the workspace and in a private /tmp, nowhere else", async () => {
    const here = place();
    const other = folders().dir;
    const script = `echo a > in && echo b > "$TMPDIR/t" && cat in "$TMPDIR/t"; echo c > ${other}/c; echo d > /etc/converge-was-here; echo e > "$HOME/converge-was-here"`;
    expect(await outputOf(request(here, script, strict))).toMatch(/^a\nb\n/);
    expect(fs.readFileSync(path.join(here.dir, "in"), "utf8")).toBe("a\n");
    expect(fs.existsSync("/tmp/t")).toBe(false);
    expect(fs.existsSync("/etc/converge-was-here")).toBe(false);
    expect(fs.existsSync(path.join(process.env.HOME ?? "/root", "converge-was-here"))).toBe(false);
    expect(fs.readdirSync(other)).toEqual([]);
  });

  it("writes to granted folders, except to read-only settings inside them", async () => {
    const here = place();
    const own = folders().dir;
    write(own, { "settings.json": "{}" });
    const settings = path.join(own, "settings.json");
    const script = `echo s > ${own}/session; echo hacked > ${settings}; rm -f ${settings}; mv ${own}/session ${settings}`;
    await outputOf(request(here, script, { ...strict, writes: [own], reads: [settings] }));
    expect(fs.readFileSync(settings, "utf8")).toBe("{}");
    expect(fs.readFileSync(path.join(own, "session"), "utf8")).toBe("s\n");
  });

  it("cannot change git hooks or settings, and can still commit", async () => {
    const here = place();
    const git = (...args: string[]) => spawnSync("git", args, { cwd: here.dir, encoding: "utf8" });
    git("init", "--quiet");
    fs.mkdirSync(path.join(here.dir, ".git", "hooks"), { recursive: true });
    const before = fs.readFileSync(path.join(here.dir, ".git", "config"), "utf8");
    const script =
      "echo x > .git/hooks/pre-commit; git config core.fsmonitor ./x; " +
      "git -c user.name=a -c user.email=a@localhost commit --quiet --allow-empty --message made";
    await outputOf(request(here, script, strict));
    expect(fs.existsSync(path.join(here.dir, ".git", "hooks", "pre-commit"))).toBe(false);
    expect(fs.readFileSync(path.join(here.dir, ".git", "config"), "utf8")).toBe(before);
    expect(git("log", "--format=%s").stdout).toBe("made\n");
  });

  it("has no network when it is disabled", async () => {
    const here = place();
    await outputOf(request(here, "cat /proc/net/dev > devices", { ...strict, network: false }));
    const devices = fs.readFileSync(path.join(here.dir, "devices"), "utf8").match(/^ *[\w-]+(?=:)/gm) ?? [];
    expect(
      devices
        .map((name) => name.trim())
        .filter((name) => name !== "lo" && !/^(sit|tunl|ip6|gre|erspan|ip_|tun)/.test(name)),
    ).toEqual([]);
    expect(
      await outputOf(request(here, "readlink /proc/self/ns/net", { ...strict, network: false })),
    ).not.toContain(fs.readlinkSync("/proc/self/ns/net"));
  });
});
