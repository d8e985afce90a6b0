import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { command } from "#gates/command";
import { type DecoratedGates, decorateGates } from "#gates/decorate-gates";
import type { Gate } from "#spec/gate";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { homeFrom } from "#state/home";
import { exampleGate, exampleRequest, exampleRun, exampleTask, exampleVerdict } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { inPlace } from "#workspaces/in-place";
import { temporary, write } from "../../../support/folders.ts";
import { isAlive } from "../../../support/processes.ts";
import { waitFor } from "../../../support/wait.ts";

const inRoom = (name: string) => {
  const gate = exampleGate(name);
  return { ...gate, policy: { ...gate.policy, cleanRoom: true } };
};

interface Place {
  readonly dir: string;
  readonly rooms: string;
  readonly run: Run;
  readonly around: DecoratedGates;
  judge(gate: string, signal?: AbortSignal): Promise<Verdict>;
}

/** Creates a workspace with these files, takes a snapshot and sets up the gates of a run on it. */
async function place(
  files: Readonly<Record<string, string>>,
  commands: Readonly<Record<string, string | Gate>>,
  task: Partial<Task> = {},
): Promise<Place> {
  const root = temporary();
  const dir = path.join(root, "workspace");
  write(dir, files);
  const home = homeFrom({ CONVERGE_HOME: path.join(root, "home") });
  const workspace = await inPlace({ dir, shadowDir: home.shadowOf(dir), exclude: [] });
  onTestFinished(() => workspace.close());
  const { tree } = await workspace.snapshot();
  const names = Object.keys(commands);
  const whole = exampleTask({ gates: names.map(inRoom), workspace: { type: "in-place", dir }, ...task });
  const seal = whole.protect && (await workspace.seal(whole.protect.paths));
  const run: Run = {
    ...exampleRun([], { task: whole, baseline: { tree } }),
    ...{ id: uniqueRun(), dir },
    ...(seal && { seal }),
  };
  const gates = Object.entries(commands).map(
    ([name, given]) => [name, typeof given === "string" ? command(name, { command: given }) : given] as const,
  );
  const around = decorateGates(new Map(gates), { folders: home, run, workspace });
  onTestFinished(() => around.close());
  const judge = (name: string, signal = new AbortController().signal) => {
    const logs = path.join(root, "logs", name);
    fs.mkdirSync(logs, { recursive: true });
    const gate = around.gates.get(name);
    if (!gate) throw new Error(`no gate ${name}`);
    const copy = (to: string) => workspace.copy(tree, to);
    return gate.judge(exampleRequest({ run, tree, dir, files: logs, copy }), signal);
  };
  return { dir, rooms: path.join(home.rooms, run.id), run, around, judge };
}

const protect = (paths: readonly string[], action: "restore" | "allow" = "restore") => ({
  protect: { action, paths: paths.map((pattern) => ({ path: pattern, grows: true })) },
});

describe("a gate in a clean room", () => {
  it("judges in a room that gates on the same tree share", async () => {
    const { dir, judge, rooms } = await place({ a: "1" }, { one: "pwd", two: "pwd" });
    const where = (verdict: Verdict) => verdict.evidence.stdout?.trim() ?? "";
    const first = where(await judge("one"));
    expect(first).not.toBe(dir);
    expect(path.dirname(path.dirname(first))).toBe(rooms);
    expect(where(await judge("two"))).toBe(first);
  });

  it("kills leftover processes of the run before it judges", async () => {
    let pid = 0;
    const looks: Gate = {
      name: "looks",
      judge: async () => exampleVerdict({ status: isAlive(pid) ? "failed" : "passed" }),
    };
    const { run, judge } = await place({ a: "1" }, { looks });
    const left = spawn("sleep", ["1000"], { env: { ...process.env, CONVERGE_RUN: run.id }, detached: true });
    onTestFinished(() => void left.kill("SIGKILL"));
    pid = left.pid ?? 0;
    await waitFor(() => isAlive(pid));
    expect((await judge("looks")).status).toBe("passed");
  });

  it("can copy the judged files to another folder", async () => {
    const copies: string[] = [];
    const looks: Gate = {
      name: "looks",
      judge: async (request) => {
        const to = path.join(request.files, "copy");
        fs.mkdirSync(to);
        await request.copy(to);
        copies.push(...fs.readdirSync(to));
        return exampleVerdict({ status: "passed" });
      },
    };
    const { judge } = await place({ a: "1", b: "2" }, { looks });
    await judge("looks");
    expect(copies).toEqual(["a", "b"]);
  });

  it("deletes its room on close, including read-only folders", async () => {
    const { rooms, around, judge } = await place({ a: "1" }, { one: "mkdir x && touch x/y && chmod 500 x" });
    await judge("one");
    expect(fs.readdirSync(rooms)).toHaveLength(1);
    await around.close();
    expect(fs.existsSync(rooms)).toBe(false);
  });
});

describe("protected files that change while a gate runs", () => {
  const files = {
    "test/a.js": "real\n",
    "src/a.js": "1\n",
    "package.json": '{"scripts":{"test":"t","x":"1"}}',
  };

  it("void the verdict and are restored for the next gate", async () => {
    const { judge } = await place(
      files,
      { cheats: "echo fake > test/a.js", after: "grep real test/a.js" },
      protect(["test/**"]),
    );
    expect(await judge("cheats")).toMatchObject({
      status: "errored",
      summary: "protected files changed while the gate ran: test/a.js",
      failures: [{ message: expect.stringContaining("does not count: passed, exit code 0") }],
    });
    expect((await judge("after")).status).toBe("passed");
    const folder = await place(files, { cheats: "rm test/a.js" }, protect(["test"]));
    expect((await folder.judge("cheats")).status).toBe("errored");
  });

  it("void the verdict when a symlink replaces the folder or the file keeps its mtime", async () => {
    const swap = "mv test elsewhere && ln -s elsewhere test";
    const touched = "cp -p test/a.js t && echo fake > test/a.js && touch -r t test/a.js && rm t";
    const { judge, dir } = await place(
      files,
      { swap, touched, after: "grep real test/a.js && test ! -L test && test ! -e elsewhere" },
      protect(["test/**"]),
    );
    expect((await judge("swap")).status).toBe("errored");
    expect((await judge("touched")).status).toBe("errored");
    expect((await judge("after")).status).toBe("passed");
    expect(fs.readFileSync(path.join(dir, "test/a.js"), "utf8")).toBe("real\n");
  });

  it("may change in the values that are not protected", async () => {
    const paths = [{ path: "package.json", key: ["scripts", "test"], grows: false }];
    const { judge } = await place(
      files,
      {
        other: "sed -i s/1/2/ package.json",
        value: "sed -i s/:.t.,/:0,/ package.json",
        broken: "echo > package.json",
      },
      { protect: { paths, action: "fail" } },
    );
    expect((await judge("other")).status).toBe("passed");
    expect((await judge("value")).summary).toContain("ran: package.json#scripts.test");
    expect((await judge("broken")).summary).toContain("ran: package.json#scripts.test");
  });

  it("do not void the verdict when the task allows changes or the files are unprotected", async () => {
    const allowed = await place(files, { one: "echo fake > test/a.js" }, protect(["test/**"], "allow"));
    expect((await allowed.judge("one")).status).toBe("passed");
    const other = await place(files, { one: "echo fake > src/a.js" }, protect(["test/**"]));
    expect((await other.judge("one")).status).toBe("passed");
  });

  it("void the verdict when set-up changed them", async () => {
    const cleanRoom = { setup: ["echo fake > test/a.js"], setupMs: 10_000, cache: [], env: [] };
    const { judge } = await place(files, { one: "true" }, { cleanRoom, ...protect(["test/**"]) });
    expect(await judge("one")).toMatchObject({
      status: "errored",
      summary: "the set-up of the clean room changed a protected file: test/a.js",
    });
  });
});

describe("the set-up of a clean room", () => {
  it("is aborted with the gate and runs again for the next gate", async () => {
    const root = temporary();
    const setup = [`echo x >> ${root}/began; test -e ${root}/go || sleep 1000`];
    const { judge } = await place(
      { a: "1" },
      { one: "true" },
      { cleanRoom: { setup, setupMs: 60_000, cache: [], env: [] } },
    );
    const cut = new AbortController();
    const first = judge("one", cut.signal);
    await waitFor(() => fs.existsSync(`${root}/began`));
    cut.abort();
    expect(await first).toMatchObject({ status: "errored", summary: expect.stringContaining("interrupted") });
    fs.writeFileSync(`${root}/go`, "");
    expect((await judge("one")).status).toBe("passed");
  });

  it("has its changes to files of the tree reverted", async () => {
    const { judge } = await place(
      { a: "1\n" },
      { one: "grep 1 a && test -f made" },
      { cleanRoom: { setup: ["echo 2 > a; touch made"], setupMs: 10_000, cache: [], env: [] } },
    );
    expect((await judge("one")).status).toBe("passed");
  });
});
