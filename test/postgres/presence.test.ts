import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Presence } from "#spec/presence";
import { postgres } from "#stores/postgres/postgres-store";
import { execute, freshDatabase } from "../support/database.ts";
import { waitFor } from "../support/wait.ts";

function member(url: string): Presence {
  const store = postgres(url);
  onTestFinished(() => store.close());
  if (!store.presence) throw new Error("Postgres is a store for several machines");
  return store.presence;
}

/** Ends sessions of this database only; the others belong to other tests. */
const endSessions = (called: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '${called}'`;

const kinds = (repository: string, agent = "claude") => ({ repository, agent });

/** A separate process that joins, claims the run and stays. */
async function another(url: string, run: string) {
  const script = `
    import { postgres } from "#stores/postgres/postgres-store";
    const { presence } = postgres(${JSON.stringify(url)});
    const claim = await presence.claim(${JSON.stringify(run)}, { home: "/there" });
    claim.lost.addEventListener("abort", () => console.log("lost"));
    console.log(claim.held ? "held" : "refused");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  child.stdout.on("data", (text) => said.push(...String(text).trim().split("\n")));
  await waitFor(() => said.includes("held"));
  return {
    pid: child.pid as number,
    said,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    over: () => once(child, "exit"),
  };
}

describe("claims on a run", () => {
  it("are exclusive, and every process sees the driver", async () => {
    const url = await freshDatabase();
    const [here, there] = [member(url), member(url)];
    const first = await here.claim("a", { home: "/here" });
    expect(first).toMatchObject({ held: true });
    const driver = { run: "a", pid: process.pid, home: "/here" };
    expect(await there.claim("a", { home: "/there" })).toMatchObject({ held: false, driver });
    expect([...(await there.drivers()).values()]).toMatchObject([driver]);
    expect((await there.drivers("b")).size).toBe(0);
    if (first.held) await first.release();
    expect((await here.drivers()).size).toBe(0);
    expect(await there.claim("a", { home: "/there" })).toMatchObject({ held: true });
  });

  it("are released when the driver is killed, and a driver stopped with SIGSTOP learns that it lost the run", async () => {
    const url = await freshDatabase();
    const here = member(url);
    const killed = await another(url, "a");
    expect(await here.claim("a", { home: "/here" })).toMatchObject({ held: false });
    killed.kill("SIGKILL");
    await waitFor(async () => (await here.claim("a", { home: "/here" })).held);
    const stopped = await another(url, "b");
    stopped.kill("SIGSTOP");
    await waitFor(async () => (await here.claim("b", { home: "/here" })).held);
    stopped.kill("SIGCONT");
    await waitFor(() => stopped.said.includes("lost"));
    expect((await here.drivers("b")).get("b")?.home).toBe("/here");
  });

  it("survive when the server ends all sessions", async () => {
    const url = await freshDatabase();
    const here = member(url);
    const claim = await here.claim("a", { home: "/here" });
    await execute(url, endSessions("converge%"));
    await waitFor(async () => (await here.drivers("a")).size === 1);
    await sleep(1_000);
    expect([claim.held && claim.lost.aborted, (await here.drivers("a")).size]).toEqual([false, 1]);
  });

  it("survive a concurrent release or refusal of another claim", async () => {
    const url = await freshDatabase();
    const [here, there] = [member(url), member(url)];
    await there.claim("taken", { home: "/there" });
    for (let times = 0; times < 10; times++) {
      const first = await here.claim("a", { home: "/here" });
      const [second] = await Promise.all([
        here.claim("b", { home: "/here" }),
        first.held && first.release(),
        here.claim("taken", { home: "/here" }),
      ]);
      expect([...(await there.drivers()).keys()].sort()).toEqual(["b", "taken"]);
      if (second.held) await second.release();
    }
    // A member without a claim is removed.
    const rows = await execute(url, "SELECT home FROM converge.members");
    expect(rows).toEqual([{ home: "/there" }]);
  });

  it("can be released by an otherwise idle process, even when its session was just ended", async () => {
    const url = await freshDatabase();
    await member(url).drivers();
    const script = `
      import pg from "pg";
      import { postgres } from "#stores/postgres/postgres-store";
      const { presence } = postgres(${JSON.stringify(url)});
      const other = new pg.Client(${JSON.stringify(url)});
      await other.connect();
      for (let times = 0; times < 10; times++) {
        const claim = await presence.claim("a", { home: "/there" });
        await other.query(${JSON.stringify(endSessions("converge member"))});
        other.unref();
        await claim.release();
        other.ref();
      }
      console.log("given back");
      await other.end();`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = child.stdout.toArray();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(String(await said)).toBe("given back\n");
    expect(await member(url).claim("a", { home: "/here" })).toMatchObject({ held: true });
  });

  it("are lost when the driver was declared dead", async () => {
    const url = await freshDatabase();
    const here = member(url);
    const { member: number, lost } = await here.join({
      home: "/here",
      worker: { labels: [], concurrency: 1, version: "1" },
    });
    const claim = await here.claim("a", { home: "/here" });
    await execute(
      url,
      `DELETE FROM converge.members WHERE number = ${number}`,
      endSessions("converge member"),
    );
    await waitFor(() => lost.aborted);
    expect(claim.held && claim.lost.aborted).toBe(true);
  });
});

describe("concurrency limits", () => {
  it("are never exceeded by concurrent claims", async () => {
    const url = await freshDatabase();
    const desks = [member(url), member(url), member(url), member(url)];
    await desks[0]?.limit({ total: 5, perRepository: 2, perAgent: 4 });
    const wanted = Array.from({ length: 24 }, (_, at) => ({
      desk: desks[at % desks.length] as Presence,
      run: `run${at}`,
      kinds: kinds(`repository${at % 4}`, at % 2 ? "claude" : "codex"),
    }));
    const answers = await Promise.all(
      wanted.map(({ desk, run, kinds }) => desk.claim(run, { home: "/here", kinds })),
    );
    const held = wanted.filter((_, at) => answers[at]?.held);
    expect(held).toHaveLength(5);
    const most = (kind: "repository" | "agent") =>
      Math.max(...held.map((one) => held.filter((other) => other.kinds[kind] === one.kinds[kind]).length));
    expect(most("repository")).toBeLessThanOrEqual(2);
    expect(most("agent")).toBeLessThanOrEqual(4);
    const refused = answers.flatMap((answer) => (answer.held || !("full" in answer) ? [] : answer.full));
    expect(refused).toHaveLength(19);
    expect(new Set(refused)).toContain("total");
  });

  it("free a slot when a run ends, and do not count runs that are driven by hand", async () => {
    const desk = member(await freshDatabase());
    await desk.limit({ total: 1 });
    expect(await desk.capacity()).toEqual({ total: 1 });
    const first = await desk.claim("a", { home: "/here", kinds: kinds("r") });
    expect(await desk.claim("b", { home: "/here", kinds: kinds("r") })).toEqual({
      held: false,
      full: "total",
      limit: 1,
    });
    expect(await desk.claim("c", { home: "/here" })).toMatchObject({ held: true });
    if (first.held) await first.release();
    expect(await desk.claim("b", { home: "/here", kinds: kinds("r") })).toMatchObject({ held: true });
  });
});

describe("workers", () => {
  it("are listed with their labels until they leave, and a live one cannot be buried", async () => {
    const url = await freshDatabase();
    const [here, there] = [member(url), member(url)];
    const facts = { labels: ["gpu"], concurrency: 3, version: "1" };
    const { member: number, leave } = await there.join({ home: "/there", worker: facts });
    expect(await here.workers()).toMatchObject([{ member: number, isHere: true, ...facts }]);
    await here.bury(number);
    expect(await here.workers()).toHaveLength(1);
    await leave();
    expect(await here.workers()).toEqual([]);
  });
});
