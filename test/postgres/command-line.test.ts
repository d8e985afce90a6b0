import fs from "node:fs";
import path from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import type { RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { startedAt } from "#testing/store";
import { freshDatabase } from "../support/database.ts";
import { beside } from "../support/observe.ts";
import { startServer } from "../support/postgres.ts";
import { isAlive } from "../support/processes.ts";
import { gitIn, repository } from "../support/repository.ts";
import { taskFile } from "../support/run-task.ts";
import { type Answer, type Sandbox, type Started, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

interface Desk {
  readonly box: Sandbox;
  readonly store: Store;
  start(...args: string[]): Started;
  /** Runs a command with another state folder, as on another machine; only the database is the same. */
  converge(...args: string[]): Promise<Answer>;
}

function deskAt(url: string): Desk {
  const box = sandbox();
  const store = postgres(url);
  onTestFinished(() => store.close());
  const env = { CONVERGE_DATABASE_URL: url };
  return {
    box,
    store,
    start: (...args) => box.start(args, env),
    converge: (...args) =>
      box.start(args, { ...env, CONVERGE_HOME: path.join(box.home, "..", "other-home") }).answer,
  };
}

/** The first agent writes its pid and waits for the file `go`. */
async function atWork(url: string): Promise<Desk & { run: Started; id: string }> {
  const desk = deskAt(url);
  const out = beside(desk.box);
  const agent = `cat > last-prompt; echo $$ > ${out.place("pid")}; echo "$CONVERGE_ITERATION" >> ${out.place("starts")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done`;
  const run = desk.start("run", "-p", "x", "--agent-cmd", agent, "--gate", "test $CONVERGE_ITERATION = 2");
  await waitFor(() => out.read("pid") !== "");
  const [row] = await desk.store.runs();
  return { ...desk, run, id: row?.id ?? "" };
}

const types = (events: readonly RunEvent[]) => events.map(({ type }) => type);

describe("with CONVERGE_DATABASE_URL", () => {
  it("stores, shows and lists a run in the database and creates no SQLite file", async () => {
    const desk = deskAt(await freshDatabase());
    const gate = 'test -z "$CONVERGE_DATABASE_URL" && test -e done';
    const { code } = await desk.start("run", "-p", "x", "--agent-cmd", "touch done", "--gate", gate).answer;
    expect(code).toBe(0);
    const listed = await desk.converge("ls", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ state: "converged", iterations: 1 });
    const shown = await desk.converge("show", "last");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("converged") });
    const watched = await desk.converge("watch", "last", "--json");
    expect(watched.events().at(-1)).toMatchObject({ type: "run.ended", outcome: "converged" });
    const diff = await desk.converge("diff", "last");
    expect(diff).toMatchObject({ code: 0, stdout: expect.stringContaining("b/done") });
    const page = path.join(desk.box.home, "..", "report.html");
    expect(await desk.converge("report", "last", "--html", page)).toMatchObject({ code: 0, stderr: "" });
    expect(fs.readFileSync(page, "utf8")).toContain("<code>done</code>");
    expect(fs.existsSync(path.join(desk.box.home, "converge.db"))).toBe(false);
  });

  it("a live run gets a steer from another state folder", async () => {
    const { converge, run, id, store, box } = await atWork(await freshDatabase());
    expect(await converge("steer", id, "mind the gap")).toMatchObject({ code: 0 });
    beside(box).touch("go");
    expect((await run.answer).code).toBe(0);
    expect(box.read("last-prompt")).toContain("mind the gap");
    expect(types(await store.read(id))).toContain("command.received");
  });

  it("another process stops a live run and its agent", async () => {
    const { start, run, id, store, box } = await atWork(await freshDatabase());
    const reply = await start("stop", id, "--reason", "enough").answer;
    expect(reply).toMatchObject({ code: 0, stdout: expect.stringContaining("stop requested") });
    expect((await run.answer).code).toBe(130);
    expect((await store.read(id)).at(-1)).toMatchObject({
      type: "run.ended",
      outcome: "stopped",
      reason: "enough",
    });
    expect(isAlive(Number(beside(box).read("pid")))).toBe(false);
  });

  it("resumes after kill -9 and repeats no finished iteration", async () => {
    const { start, run, id, store, box } = await atWork(await freshDatabase());
    run.child.kill("SIGKILL");
    await run.answer;
    await waitFor(() => !isAlive(Number(beside(box).read("pid"))));
    const before = await store.read(id);
    beside(box).touch("go");
    expect((await start("resume", id).answer).code).toBe(0);
    const after = await store.read(id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(types(after.slice(before.length))).toContain("run.resumed");
    expect(beside(box).read("starts")).toBe("1\n1\n2\n");
  });

  it("continues through a restart of the database", async () => {
    const server = await startServer(inject("postgresPrograms"));
    onTestFinished(server.dispose);
    const { run, id, store, box } = await atWork(server.url);
    await server.stop("immediate");
    beside(box).touch("go");
    await server.start();
    expect((await run.answer).code).toBe(0);
    const events = await store.read(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(beside(box).read("starts")).toBe("1\n2\n");
  });

  it("reports an unreachable database without the password", async () => {
    const { code, stderr } = await sandbox().start(["ls"], {
      CONVERGE_DATABASE_URL: "postgres://me:hunter22@127.0.0.1:1/runs",
    }).answer;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^converge: cannot reach Postgres at 127\.0\.0\.1:1 as me, database runs: /);
    expect(stderr).not.toContain("hunter22");
  });
});

describe("a run of another machine", () => {
  it("is shown as running, can be watched, and is stopped from here only when nobody drives it", async () => {
    const { converge, run, id, store, box } = await atWork(await freshDatabase());
    expect(JSON.parse((await converge("ls", "--json")).stdout)).toMatchObject({ state: "running" });
    expect((await converge("resume", id)).stderr).toMatch(/run \w+ is in use by run \w+ \(process \d+ on/);
    const watched = converge("watch", id, "--json");
    run.child.kill("SIGKILL");
    await run.answer;
    await waitFor(() => !isAlive(Number(beside(box).read("pid"))));
    expect((await watched).stderr).toMatch(/no process drives run/);
    expect(JSON.parse((await converge("ls", "--json")).stdout)).toMatchObject({ state: "interrupted" });
    expect(await converge("stop", id)).toMatchObject({ code: 0 });
    expect((await store.read(id)).at(-1)).toMatchObject({ type: "run.ended", outcome: "stopped" });
  });

  it("can be stopped when its folder does not exist here", async () => {
    const desk = deskAt(await freshDatabase());
    await desk.store.append("a", 0, [startedAt("a", 0)]);
    expect(await desk.converge("stop", "a")).toMatchObject({ code: 0 });
    expect(types(await desk.store.read("a")).at(-1)).toBe("run.ended");
  });

  it("resumes here from its last snapshot when its workspace is a repository and its machine is gone", async () => {
    const desk = deskAt(await freshDatabase());
    const origin = path.join(path.dirname(desk.box.dir), "origin");
    repository(origin, { "a.txt": "start\n" });
    const out = beside(desk.box);
    const [starts, go] = [out.place("starts"), out.place("go")];
    const command = `echo "$CONVERGE_ITERATION" >> a.txt; echo "$CONVERGE_ITERATION" >> ${starts}; [ "$CONVERGE_ITERATION" = 1 ] || while ! [ -e ${go} ]; do sleep 0.05; done`;
    desk.box.write(
      taskFile({
        agent: { type: "command", command },
        gates: ["grep -q 2 a.txt"],
        workspace: { git: origin, ref: "main" },
        deliver: "branch",
      }),
    );
    const run = desk.start("run");
    await waitFor(() => out.read("starts") === "1\n2\n");
    run.child.kill("SIGKILL");
    await run.answer;
    fs.rmSync(desk.box.home, { recursive: true, force: true });
    out.touch("go");
    const [row] = await desk.store.runs();
    const id = row?.id ?? "";
    const { code, stderr } = await desk.converge("resume", id);
    expect([code, stderr]).toEqual([0, ""]);
    expect(out.read("starts")).toBe("1\n2\n2\n");
    expect(gitIn(origin)("show", `converge/${id}:a.txt`)).toBe("start\n1\n2\n");
  });
});
