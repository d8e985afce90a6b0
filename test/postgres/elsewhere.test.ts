import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatherReport } from "#report/gather";
import { deliverRun } from "#runs/deliver-run";
import { bundleWorkspace } from "#runs/placement/bundle";
import { placeWorkspace } from "#runs/placement/place-workspace";
import { diffRun, restoreRun } from "#runs/snapshots";
import { newId, startRun } from "#runs/start";
import { exportRun } from "#runs/transfer/export";
import { importRun } from "#runs/transfer/import";
import { converge } from "#sdk/converge";
import { TooLargeError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Store } from "#spec/store";
import { type Context, openContext } from "#state/context";
import { postgres } from "#stores/postgres/postgres-store";
import { foldAll } from "#views/run-view";
import { headOf } from "#workspaces/user-repository";
import { execute, freshDatabase } from "../support/database.ts";
import { temporary, write } from "../support/folders.ts";
import { gitIn, repository } from "../support/repository.ts";

interface Machine {
  readonly app: Context;
  readonly home: string;
  readonly store: Store;
  /** Deletes the machine's local state. */
  burn(): void;
}

function machine(url: string): Machine {
  const home = path.join(temporary(), "home");
  const store = postgres(url);
  onTestFinished(() => store.close());
  const burn = () => fs.rmSync(home, { recursive: true });
  return { app: openContext({ CONVERGE_HOME: home }, store), home, store, burn };
}

/** A repository that every machine can reach, with a file that is large for a pack. */
function origin(): string {
  const dir = path.join(temporary(), "origin");
  repository(dir, {
    "a.txt": "one\n",
    "large.bin": randomBytes(200_000).toString("base64"),
    ".gitignore": "junk\n",
  });
  return dir;
}

const AGENT =
  'echo "$CONVERGE_ITERATION" > n.txt; echo "more" >> a.txt; touch junk; [ -e first.txt ] || echo first > first.txt';
const TWO = 'test "$(cat n.txt 2>/dev/null)" = 2';

const task = (workspace: object) => ({
  prompt: "Count to two.",
  agent: { type: "command", command: AGENT },
  gates: [TWO],
  protect: "off" as const,
  isolation: "off" as const,
  workspace,
});

async function ran({ home, store }: Machine, workspace: object, cwd = temporary()): Promise<Run> {
  const warnings: string[] = [];
  const result = await converge(task(workspace), {
    cwd,
    home,
    store,
    onWarning: (text) => warnings.push(text),
  });
  expect([result.outcome, result.reason, warnings]).toEqual(["converged", expect.any(String), []]);
  return result.run;
}

async function loaded({ store }: Machine, id: string): Promise<Run> {
  const run = foldAll(await store.read(id));
  if (!run) throw new Error("no such run");
  return run;
}

const kept = async ({ store }: Machine, run: string) => (await store.packs?.list(run)) ?? [];

const LAST = { "a.txt": "one\nmore\nmore\n", "first.txt": "first\n", "n.txt": "2\n" };

function filesIn(dir: string): Record<string, string> {
  const names = fs.readdirSync(dir).filter((name) => !["large.bin", ".git", ".gitignore"].includes(name));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(dir, name), "utf8")]));
}

describe("a run with a repository, from another machine", () => {
  it("can be diffed, reported, exported, placed, restored and delivered", async () => {
    const url = await freshDatabase();
    const git = origin();
    const [a, b] = [machine(url), machine(url)];
    const { id, head } = await ran(a, { git });
    expect(head).toBe(gitIn(git)("rev-parse", "HEAD").trim());
    const packs = await kept(a, id);
    // The base is in the repository: only the run's own objects are stored.
    expect(packs.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(10_000);
    a.burn();

    const diff = await diffRun(b.app, id);
    expect(diff).toContain("+more\n+more");
    expect((await gatherReport(b.app, id)).diffs.map(({ text }) => text)).toEqual([
      diff,
      await diffRun(b.app, id, { from: "1" }),
      await diffRun(b.app, id, { from: "2" }),
    ]);
    const sink = new Writable({ write: (_piece, _encoding, done) => done() });
    expect(await exportRun(b.app, id, sink)).toMatchObject({ run: id, snapshots: 3 });

    const run = await loaded(b, id);
    const dir = path.join(temporary(), "placed");
    await placeWorkspace(b.app, run, dir);
    expect(filesIn(dir)).toEqual(LAST);
    expect(gitIn(dir)("rev-parse", "HEAD", "--abbrev-ref", "HEAD")).toBe(`${head}\nmain\n`);
    expect(gitIn(dir)("remote", "get-url", "origin").trim()).toBe(git);

    const restored = await restoreRun(b.app, { id, snapshot: "1" });
    expect(restored.dir).toBe(fs.realpathSync(b.app.home.worktreeOf(id)));
    expect(filesIn(restored.dir)).toEqual({ ...LAST, "a.txt": "one\nmore\n", "n.txt": "1\n" });
    expect((await kept(b, id)).length).toBe(packs.length);

    const signal = new AbortController().signal;
    const { delivered } = await deliverRun(b.app, id, { as: { type: "branch" }, signal });
    expect(delivered).toMatchObject({ type: "branch", branch: `converge/${id}` });
    expect(delivered.problem).toBeUndefined();
    expect(gitIn(restored.dir)("show", `converge/${id}:a.txt`)).toBe(LAST["a.txt"]);
  });

  it("resumes from its last snapshot, with the protected files", async () => {
    const url = await freshDatabase();
    const git = origin();
    const [a, b] = [machine(url), machine(url)];
    const cut = new AbortController();
    const counting = {
      ...task({ git }),
      protect: [".gitignore"],
      strategy: "fixed",
      limits: { iterations: 2 },
    };
    const run = converge(counting, { cwd: temporary(), home: a.home, store: a.store, signal: cut.signal });
    for await (const { type } of run) if (type === "decision.made") cut.abort();
    const id = await run.id;
    a.burn();

    const dir = path.join(fs.realpathSync(path.dirname(b.home)), "home", "worktrees", id);
    const result = await converge({}, { home: b.home, store: b.store, resume: id });
    expect([result.outcome, result.iterations, filesIn(dir)]).toEqual([
      "converged",
      2,
      { ...LAST, junk: "" },
    ]);
    expect(result.run.task.workspace).toMatchObject({ dir, git: { url: git, ref: "main" } });
    const project = `file://${git}`;
    expect((await b.store.runs())[0]?.workspace).toBe(project);
    expect((await b.store.lessons()).map(({ workspace }) => workspace)).toEqual([project]);
  });

  it("is resumed by one of several concurrent machines, and the others are refused", async () => {
    const url = await freshDatabase();
    const [a, ...others] = Array.from({ length: 4 }, () => machine(url)) as [Machine, ...Machine[]];
    const cut = new AbortController();
    const run = converge(task({ git: origin() }), {
      ...{ cwd: temporary(), home: a.home, store: a.store, signal: cut.signal },
    });
    for await (const { type } of run) if (type === "decision.made") cut.abort();
    const id = await run.id;
    const asked = others.map(({ home, store }) => converge({}, { home, store, resume: id }));
    const answers = await Promise.allSettled(asked);
    const won = answers.flatMap((answer, at) => (answer.status === "fulfilled" ? [at] : []));
    const why = answers.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason)] : []));
    expect(won.length).toBe(1);
    expect(why.length).toBe(2);
    // A late machine finds that the run has converged.
    for (const one of why)
      expect(one).toMatch(new RegExp(`run ${id} (is in use by run ${id}|has converged)`));
    const { dir, iterations } = await loaded(a, id);
    expect(dir).toBe(fs.realpathSync(others[won[0] ?? 0]?.app.home.worktreeOf(id) ?? ""));
    expect([iterations.length, filesIn(dir)]).toEqual([2, { ...LAST, junk: "" }]);
    expect(others.filter(({ app }) => fs.existsSync(app.home.worktreeOf(id))).length).toBe(1);
  });

  it("repeats an iteration whose agent finished but whose snapshot was lost", async () => {
    const url = await freshDatabase();
    const git = origin();
    const [a, b] = [machine(url), machine(url)];
    const cut = new AbortController();
    const append: Store["append"] = async (id, seq, events) => {
      await a.store.append(id, seq, events);
      if (events.some(({ type }) => type === "agent.finished")) cut.abort();
    };
    const store = { ...a.store, append };
    const { run } = await converge(task({ git }), {
      cwd: temporary(),
      home: a.home,
      store,
      signal: cut.signal,
    });
    const { id } = run;
    const before = await loaded(b, id);
    expect([before.iterations[0]?.agent?.ok, before.iterations[0]?.snapshot]).toEqual([true, undefined]);
    a.burn();

    const result = await converge({}, { home: b.home, store: b.store, resume: id });
    expect([result.outcome, result.iterations, filesIn(result.run.dir)]).toEqual([
      "converged",
      2,
      { ...LAST, junk: "" },
    ]);
    // Both attempts cost money, and both are counted.
    expect(result.run.iterations[0]).toMatchObject({ spent: [before.iterations[0]?.agent?.usage] });
  });

  it("detects replaced snapshots", async () => {
    const url = await freshDatabase();
    const a = machine(url);
    const { id } = await ran(a, { git: origin() });
    const packs = await kept(a, id);
    expect(packs.length).toBe(2);
    const changes = [
      // Flipped bytes, another valid pack, a missing base pack, and an option in place of a tree.
      "UPDATE converge.pack_pieces SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 255)",
      "UPDATE converge.packs SET key = (SELECT key FROM converge.packs WHERE number = 2), bytes = (SELECT bytes FROM converge.packs WHERE number = 2) WHERE number = 1",
      "DELETE FROM converge.packs WHERE number = 1",
      "UPDATE converge.packs SET trees = '{--output=x}' WHERE number = 1",
    ];
    for (const change of changes) {
      await execute(
        url,
        "CREATE TABLE pieces AS TABLE converge.pack_pieces",
        "CREATE TABLE packs AS TABLE converge.packs",
      );
      await execute(url, "ALTER TABLE converge.packs DROP CONSTRAINT IF EXISTS packs_key_key", change);
      const b = machine(url);
      await expect(diffRun(b.app, id)).rejects.toThrow(/is not what was kept|is not the id of a snapshot/);
      await execute(
        url,
        "DELETE FROM converge.packs",
        "DELETE FROM converge.pack_pieces",
        "INSERT INTO converge.packs TABLE packs",
        "INSERT INTO converge.pack_pieces TABLE pieces",
        "DROP TABLE packs",
        "DROP TABLE pieces",
      );
    }
    expect(await diffRun(machine(url).app, id)).toContain("+more");
  });
});

describe("snapshots", () => {
  it("are pushed to the task's snapshot repository and fetched from there", async () => {
    const url = await freshDatabase();
    const git = origin();
    const snapshots = path.join(temporary(), "snapshots.git");
    gitIn("/")("init", "--quiet", "--bare", snapshots);
    const [a, b] = [machine(url), machine(url)];
    const run = await ran(a, { git, snapshots });
    const { id } = run;
    const refs = gitIn(snapshots)("for-each-ref", "--format=%(refname)").trim().split("\n");
    expect(refs).toEqual([0, 1, 2].map((number) => `refs/converge/${id}/${number}`));
    expect(gitIn(snapshots)("log", "--format=%T", `refs/converge/${id}/2`).trim().split("\n")).toEqual(
      [run.iterations[1], run.iterations[0], run.baseline].map((one) => one?.snapshot?.tree),
    );
    expect(await kept(a, id)).toEqual([]);
    a.burn();
    expect(await diffRun(b.app, id)).toContain("+more\n+more");
    const restored = await restoreRun(b.app, { id, snapshot: "1" });
    expect(filesIn(restored.dir)["n.txt"]).toBe("1\n");
  });

  it("a failed push warns and does not fail the run", async () => {
    const a = machine(await freshDatabase());
    const warnings: string[] = [];
    const result = await converge(task({ git: origin(), snapshots: "/nowhere.git" }), {
      ...{ cwd: temporary(), home: a.home, store: a.store },
      onWarning: (text) => warnings.push(text),
    });
    expect(result.outcome).toBe("converged");
    expect(warnings).toEqual([
      expect.stringMatching(/^cannot push the snapshot to \/nowhere\.git .*The run continues/),
    ]);
  });

  it("a pack too large for the store warns once, does not fail the run, and is reported on other machines", async () => {
    const url = await freshDatabase();
    const [a, b] = [machine(url), machine(url)];
    const { packs } = a.store;
    if (!packs) throw new Error("no packs");
    const keep = async () => {
      throw new TooLargeError("it is larger than can be kept");
    };
    const warnings: string[] = [];
    const result = await converge(task({ git: origin() }), {
      ...{ cwd: temporary(), home: a.home, store: { ...a.store, packs: { ...packs, keep } } },
      onWarning: (text) => warnings.push(text),
    });
    expect(result.outcome).toBe("converged");
    expect(warnings).toEqual([
      expect.stringMatching(/^it is larger than can be kept\. The run continues on this machine only/),
    ]);
    await expect(diffRun(b.app, result.run.id)).rejects.toThrow(
      /not all snapshots .* they are on the machine that drove it/,
    );
  });

  it("of an imported run are available on other machines", async () => {
    const root = temporary();
    const own = openContext({ CONVERGE_HOME: path.join(root, "own") });
    onTestFinished(() => own.store.close());
    const dir = temporary();
    const given = { cwd: dir, home: own.home.dir, store: own.store };
    const { run } = await converge(task({ dir }), given);
    const file = path.join(root, "run.tar.gz");
    await exportRun(own, run.id, fs.createWriteStream(file));
    const url = await freshDatabase();
    const [a, b] = [machine(url), machine(url)];
    await importRun(a.app, file);
    a.burn();
    expect(await diffRun(b.app, run.id)).toContain("+more\n+more");
  });

  it("of a run in a folder are available on other machines; its folder is not", async () => {
    const url = await freshDatabase();
    const [a, b] = [machine(url), machine(url)];
    const dir = temporary();
    write(dir, { "a.txt": "one\n" });
    const { id } = await ran(a, { dir });
    fs.rmSync(dir, { recursive: true });
    a.burn();
    expect(await diffRun(b.app, id)).toContain("+more\n+more");
    await expect(restoreRun(b.app, { id, snapshot: "1" })).rejects.toThrow(/the workspace .* does not exist/);
    const run = await loaded(b, id);
    await expect(placeWorkspace(b.app, run, path.join(temporary(), "x"))).rejects.toThrow(
      /workspace: \{git: URL\}/,
    );
  });
});

describe("a bundled folder", () => {
  it.each([false, true])("arrives unchanged on another machine (repository: %s)", async (isRepository) => {
    const url = await freshDatabase();
    const [a, b] = [machine(url), machine(url)];
    const folder = path.join(temporary(), "folder");
    const files = { "run.sh": "true\n", "deep/a.txt": "one\n", ".gitignore": "junk\n", junk: "x" };
    if (isRepository) repository(folder, files);
    else write(folder, files);
    fs.symlinkSync("deep/a.txt", path.join(folder, "link"));
    const id = newId();
    const { tree, omitted, ...rest } = await bundleWorkspace(a.app, id, folder);
    expect([omitted, rest]).toEqual([[], isRepository ? { repository: true } : {}]);
    a.burn();

    const given = { type: "in-place", dir: folder, bundle: tree, ...rest };
    const { task: any } = await ran(a, { dir: temporary() });
    const handed = { task: { ...any, workspace: given }, sources: [], addresses: {} };
    (await startRun(b.app, { ...handed, id }, () => {})).hold.release();
    const { dir, head } = await loaded(b, id);
    expect(dir).toBe(fs.realpathSync(b.app.home.worktreeOf(id)));
    const names = fs.readdirSync(dir).sort();
    expect(names).toEqual([...(isRepository ? [".git"] : []), ".gitignore", "deep", "link", "run.sh"]);
    expect(fs.readlinkSync(path.join(dir, "link"))).toBe("deep/a.txt");
    expect(fs.statSync(path.join(dir, "run.sh")).mode & 0o111).not.toBe(0);
    if (isRepository) expect(gitIn(dir)("status", "--porcelain")).toBe("");

    const result = await converge({}, { home: b.home, store: b.store, resume: id });
    expect(result.outcome).toBe("converged");
    b.burn();
    // Any machine can place it, starting from the same commit.
    const c = machine(url);
    const again = path.join(temporary(), "again");
    await placeWorkspace(c.app, await loaded(c, id), again);
    expect(fs.readFileSync(path.join(again, "n.txt"), "utf8")).toBe("2\n");
    expect(await headOf(again)).toBe(head);
    const file = path.join(temporary(), "work.patch");
    const { signal } = new AbortController();
    await deliverRun(c.app, id, { as: { type: "patch", file }, signal });
    expect(fs.readFileSync(file, "utf8")).toContain("b/n.txt");
    if (!isRepository) return;
    const { delivered } = await deliverRun(c.app, id, { as: { type: "commit" }, signal });
    expect([delivered.branch, delivered.problem]).toEqual(["main", undefined]);
  });
});
