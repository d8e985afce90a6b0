import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { converge } from "#sdk/converge";
import { listRuns } from "#views/list-runs";
import { createRunCache } from "#views/run-cache";
import { summaries } from "#views/summaries";
import { temporary } from "../../support/folders.ts";
import { endedEvents, eventsOf, type Served, served, store, storeAll } from "../../support/served.ts";
import { execute } from "../../support/tamper.ts";

/** A real run of two iterations with a command as its agent. */
async function realRun({ home }: Served, task: object = {}): Promise<{ id: string; dir: string }> {
  const dir = temporary();
  const running = converge(
    {
      prompt: "Count to two.\nNot further.",
      agent: {
        type: "command",
        command: 'printf "\\033[31mcount é %s\\n" $CONVERGE_ITERATION; echo $CONVERGE_ITERATION > n',
      },
      gates: [{ name: "two", command: 'test "$(cat n)" = 2' }],
      isolation: "off",
      ...task,
    },
    { cwd: dir, home },
  );
  await running;
  return { id: await running.id, dir };
}

describe("a finished run", () => {
  it("is listed and shown, with its iterations, logs, diffs and events", async () => {
    const all = await served();
    const { id, dir } = await realRun(all);
    const { json: list } = await all.ask("/runs");
    expect(list).toMatchObject({
      total: 1,
      runs: [{ id, state: "converged", title: "Count to two.", iterations: 2, workspace: dir }],
    });
    const { json: shown } = await all.ask(`/runs/${id}`);
    expect(shown).toMatchObject({ id, actions: ["restore", "deliver"], best: { iteration: 2 } });
    expect(shown.rows.map((row: { number: number }) => row.number)).toEqual([0, 1, 2]);
    const { json: later } = await all.ask(`/runs/${id}?after=2`);
    expect(later.rows.map((row: { number: number }) => row.number)).toEqual([2]);
    expect(new Set(later.spans.map((span: { iteration: number }) => span.iteration))).toEqual(new Set([2]));
    expect({ ...later, rows: [], spans: [] }).toEqual({ ...shown, rows: [], spans: [] });

    const { json: detail } = await all.ask(`/runs/${id}/iterations/1`);
    expect(detail).toMatchObject({
      row: { number: 1, score: 0 },
      message: "count é 1",
      logs: [{ part: "agent", stream: "stdout", bytes: 16 }],
    });
    expect(detail.prompt).toContain("Count to two.");
    expect(detail.verdicts).toMatchObject([{ gate: "two", verdict: { status: "failed" } }]);
    expect((await all.ask(`/runs/${id}/iterations/0`)).json.row.number).toBe(0);
    expect(await all.ask(`/runs/${id}/iterations/3`)).toMatchObject({
      status: 404,
      json: { error: { code: "not-found" } },
    });

    const log = async (query: string) => (await all.ask(`/runs/${id}/iterations/1/log?${query}`)).json;
    expect(await log("")).toEqual({ text: "count é 1\n", from: 0, to: 16, bytes: 16 });
    expect(await log("from=5&bytes=7")).toEqual({ text: "count ", from: 5, to: 11, bytes: 16 });
    expect(await log("from=-3")).toMatchObject({ text: " 1\n", from: 13, to: 16 });
    expect((await all.ask(`/runs/${id}/iterations/1/log?part=two`)).status).toBe(404);

    expect((await all.ask(`/runs/${id}/diff?from=1&to=2`)).json).toEqual({
      diff: expect.stringMatching(/-1\n\+2\n/),
      truncated: false,
    });
    expect((await all.ask(`/runs/${id}/diff`)).json.diff).toContain("+2\n");
    const several = await Promise.all([1, 2, 3].map(() => all.ask(`/runs/${id}/diff?from=now`)));
    expect(several.map(({ json }) => json)).toEqual([1, 2, 3].map(() => ({ diff: "", truncated: false })));
    expect((await all.ask(`/runs/${id}/diff?from=9`)).status).toBe(404);

    const { json: first } = await all.ask(`/runs/${id}/events?limit=3`);
    expect([first.events.map((event: { seq: number }) => event.seq), first.next]).toEqual([[1, 2, 3], 3]);
    const { json: rest } = await all.ask(`/runs/${id}/events?after=3`);
    expect([rest.events[0].seq, rest.events.at(-1).type, rest.next]).toEqual([4, "run.ended", undefined]);
    expect((await all.ask("/model")).json).toMatchObject([{ workspace: dir, runs: 1 }]);
  });

  it("is restored and delivered", async () => {
    const all = await served();
    const { id, dir } = await realRun(all);
    const restored = await all.ask(`/runs/${id}/restore`, { method: "POST", body: { snapshot: "1" } });
    expect(restored).toMatchObject({ status: 200, json: { iteration: 1 } });
    expect(fs.readFileSync(path.join(dir, "n"), "utf8")).toBe("1\n");
    const back = await all.ask(`/runs/${id}/restore`, {
      method: "POST",
      body: { snapshot: restored.json.saved.slice(0, 12) },
    });
    expect([back.status, fs.readFileSync(path.join(dir, "n"), "utf8")]).toEqual([200, "2\n"]);
    const delivered = await all.ask(`/runs/${id}/deliver`, { method: "POST", body: { as: "patch" } });
    expect(delivered).toMatchObject({ status: 200, json: { delivered: { type: "patch" } } });
    const withoutType = await all.ask(`/runs/${id}/deliver`, { method: "POST", body: {} });
    expect(withoutType).toMatchObject({ status: 409, json: { error: { code: "refused" } } });
  });
});

describe("commands to a run", () => {
  const waiting = async (all: Served) => realRun(all, { strategy: "manual" });
  const post = (all: Served, id: string, word: string, body: object) =>
    all.ask(`/runs/${id}/${word}`, { method: "POST", body });

  it("wait in its inbox while it has no driver", async () => {
    const all = await served();
    const { id } = await waiting(all);
    expect((await all.ask(`/runs/${id}`)).json).toMatchObject({
      state: "waiting",
      actions: ["stop", "resume", "restore", "steer", "decide"],
    });
    expect((await post(all, id, "steer", { text: " go left " })).json).toEqual({ heard: false });
    expect((await post(all, id, "decide", { choice: "rollback", iteration: 0 })).json).toEqual({
      heard: false,
    });
    const queued = (await all.app.store.inbox(id, 0)).map(({ command }) => command);
    expect(queued).toEqual([
      { type: "steer", text: "go left" },
      { type: "decide", choice: "rollback", iteration: 0 },
    ]);
    expect((await post(all, id, "stop", { reason: "enough" })).json).toEqual({ heard: false });
    expect((await all.ask(`/runs/${id}`)).json).toMatchObject({ state: "stopped", reason: "enough" });
    expect(await post(all, id, "steer", { text: "late" })).toMatchObject({
      status: 409,
      json: { error: { code: "refused" } },
    });
  });

  it("are rejected when they are invalid", async () => {
    const all = await served();
    const { id } = await waiting(all);
    const cases = [
      ["decide", { choice: "accept", iteration: 1 }, 409, /works only with rollback/],
      ["decide", { choice: "perhaps" }, 400, /choice/],
      ["steer", { text: "  " }, 400, /text/],
      ["approve", { gate: "two", by: "me" }, 409, /does not wait for a person/],
      ["approve", { gate: "two", by: "a\nb" }, 400, /a name on one line/],
      ["approve", { gate: "none", by: "me" }, 409, /has no gate "none"/],
      ["resume", {}, 409, /waits for an answer first/],
      ["resume", { limits: { iterations: 0.5 } }, 409, /waits for an answer first/],
      ["restore", { snapshot: "9" }, 409, /has no snapshot "9"/],
      ["deliver", { as: "patch" }, 409, /has not ended/],
    ] as const;
    for (const [word, body, status, message] of cases) {
      const answer = await post(all, id, word, body);
      expect([word, answer.status, answer.json.error.message]).toEqual([
        word,
        status,
        expect.stringMatching(message),
      ]);
    }
    expect(await all.app.store.inbox(id, 0)).toEqual([]);
  });

  it("are rejected when the server was started by an agent", async () => {
    const all = await served();
    const { id } = await waiting(all);
    process.env.CONVERGE_RUN = id;
    try {
      expect(await post(all, id, "stop", {})).toMatchObject({
        status: 409,
        json: { error: { message: expect.stringMatching(/^an agent cannot stop/) } },
      });
    } finally {
      delete process.env.CONVERGE_RUN;
    }
  });
});

describe("a posted task", () => {
  it("is validated against the folder it names", async () => {
    const all = await served();
    const dir = temporary();
    const look = async (task: unknown) =>
      (await all.ask("/tasks/validate", { method: "POST", body: { task, dir } })).json;
    const agent = { type: "command", command: "true" };
    expect(await look("prompt: x\nagent: {type: command, command: 'true'}\ngates: ['true']\n")).toMatchObject(
      {
        valid: true,
        warnings: [expect.stringMatching(/^no tests are protected/)],
        task: { prompt: "x", workspace: { dir } },
      },
    );
    expect(await look({ prompt: "x", agent })).toEqual({
      valid: false,
      problems: [{ message: expect.stringMatching(/^No gate: nothing can verify/) }],
    });
    expect(
      await look(
        "prompt: x\nagent: {type: command, command: 'true'}\ngates: [make]\nlimits:\n  iterations: none\n",
      ),
    ).toEqual({
      valid: false,
      problems: [{ message: expect.stringMatching(/^limits\.iterations: expected/), line: 5, column: 15 }],
    });
    expect(await look("prompt: [")).toMatchObject({ valid: false, problems: [{ line: 1 }] });
    expect(await look({ prompt: "x", agent, gates: ["make"], __proto__: {}, wrong: 1 })).toEqual({
      valid: false,
      problems: [{ message: expect.stringMatching(/^unknown key "wrong"/) }],
    });
  });

  it("is rejected with all its problems, and no run starts", async () => {
    const all = await served();
    const start = (body: object) => all.ask("/runs", { method: "POST", body });
    expect(await start({ dir: temporary(), task: "prompt: x\nagnt: y\n" })).toMatchObject({
      status: 400,
      json: {
        error: {
          code: "invalid-task",
          problems: expect.arrayContaining([expect.objectContaining({ line: 2, column: 1 })]),
        },
      },
    });
    for (const dir of ["relative", "/no/such/folder"])
      expect((await start({ dir, task: "prompt: x" })).json.error).toMatchObject({
        code: "invalid-task",
        message: expect.stringMatching(/absolute path/),
      });
    expect(await all.app.store.runs()).toEqual([]);
  });
});

describe("a tampered record", () => {
  it("is listed as tampered, and none of its content is shown", async () => {
    const all = await served();
    await store(all.app.store, "good", 1, { minute: 1 });
    await store(all.app.store, "bad", 1, { minute: 2 });
    execute(
      path.join(all.home, "converge.db"),
      "UPDATE events SET body = replace(body, 'Go on', 'Give up') WHERE run = 'bad'",
    );
    // A process that cached the run before would still have the old version.
    const fresh = await served({ app: all.app });
    const { json } = await fresh.ask("/runs");
    expect(json.runs.map((run: { id: string; state: string }) => [run.id, run.state])).toEqual([
      ["bad", "tampered"],
      ["good", "stopped"],
    ]);
    for (const target of ["", "/events", "/stream", "/iterations/1", "/diff"])
      expect(await fresh.ask(`/runs/bad${target}`)).toMatchObject({
        status: 409,
        json: { error: { code: "tampered", message: expect.stringMatching(/was changed from outside/) } },
      });
    expect((await fresh.ask("/runs?state=tampered")).json.total).toBe(1);
    expect((await fresh.ask("/metrics")).text).toContain('converge_runs{state="tampered"} 1');
  });
});

describe("the list of runs", () => {
  it("is paginated without gaps or duplicates, with and without a search", async () => {
    const all = await served();
    for (let at = 0; at < 7; at++)
      await store(all.app.store, `run${at}`, 1, { minute: at % 3, prompt: at % 2 ? "Odd one" : "Even" });
    await all.app.store.append("open", 0, eventsOf("open", 1, { minute: 9 }));
    const ids = async (query: string) => {
      const found: string[] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const { json } = await all.ask(`/runs?limit=2&${query}${next && `&cursor=${next}`}`);
        found.push(...json.runs.map((run: { id: string }) => run.id));
        next = json.next;
      }
      return found;
    };
    expect(await ids("")).toEqual(["open", "run2", "run5", "run1", "run4", "run0", "run3", "run6"]);
    expect(await ids("q=odd")).toEqual(["run5", "run1", "run3"]);
    expect(await ids("state=interrupted,running")).toEqual(["open"]);
    expect(await ids("workspace=/projects/run4")).toEqual(["run4"]);
    expect((await all.ask("/runs?q=EVEN&limit=1")).json.total).toBe(4);
    for (const wrong of ["state=bad", "limit=0", "limit=x", "cursor=x", "unknown=1", "limit=501"])
      expect([wrong, (await all.ask(`/runs?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it("reads 1,000 runs once, and then only those that changed", async () => {
    const all = await served();
    storeAll(
      path.join(all.home, "converge.db"),
      Array.from({ length: 1_000 }, (_, at) => endedEvents(`r${at}`, 1, { minute: at })),
    );
    const read: string[] = [];
    const spied = {
      ...all.app,
      store: {
        ...all.app.store,
        read: (run: string, after?: number) => {
          read.push(run);
          return all.app.store.read(run, after);
        },
      },
    };
    const rows = summaries(spied, createRunCache(spied.store));
    expect((await listRuns(spied, rows, { limit: 50 })).runs.length).toBe(50);
    expect(read.length).toBe(50);
    const found = await listRuns(spied, rows, { limit: 10, states: ["stopped"] });
    expect([found.total, found.runs[0]?.id, read.length]).toEqual([1_000, "r999", 1_000]);
    await listRuns(spied, rows, { limit: 500, text: "tests" });
    expect(read.length).toBe(1_000);
    const resumed = { ...eventsOf("r5", 1)[5], type: "run.resumed", host: "h", seq: 8 } as Parameters<
      typeof all.app.store.append
    >[2][number];
    await all.app.store.append("r5", 7, [resumed]);
    expect(
      (await listRuns(spied, rows, { limit: 10, states: ["interrupted"] })).runs.map(({ id }) => id),
    ).toEqual(["r5"]);
    expect(read.slice(1_000)).toEqual(["r5"]);
  });
});

describe("metrics", () => {
  it("are summed over all runs", async () => {
    const all = await served();
    await store(all.app.store, "one", 2);
    await store(all.app.store, "two", 3, { open: true });
    const { text, headers } = await all.ask("/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const numbers = Object.fromEntries(
      text
        .split("\n")
        .filter((line) => /^converge_/.test(line))
        .map((line) => line.split(" ")),
    );
    expect(numbers).toEqual({
      'converge_runs{state="interrupted"}': "1",
      'converge_runs{state="stopped"}': "1",
      converge_iterations_total: "5",
      converge_tokens_total: "550",
      converge_cost_usd_total: expect.stringMatching(/^0\.05/),
      converge_agent_seconds_total: "4",
      'converge_verdicts_total{status="failed"}': "5",
      converge_server_clients: "0",
    });
  });
});
