import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import type { Store } from "#spec/store";
import { postgres } from "#stores/postgres/postgres-store";
import { elsewhere, execute, freshDatabase } from "../support/database.ts";
import { type Answer, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const SQL = fileURLToPath(new URL("../../examples/deployment/roles.sql", import.meta.url));
const ROLES = ["owner", "worker", "submitter", "reader"] as const;
type Role = (typeof ROLES)[number];

interface Team {
  /** The URL for this role. */
  readonly url: Readonly<Record<Role, string>>;
  /** Runs a command with the role's own state folder. */
  as(role: Role, ...args: string[]): Promise<Answer>;
}

/** Roles are global to the server, so unique names keep tests apart. */
async function makeRoles(): Promise<{ name: (role: Role) => string; url: string }> {
  const mark = randomUUID().slice(0, 8);
  const name = (role: Role) => `converge_${role}_${mark}`;
  const server = inject("databaseUrl");
  const url = await freshDatabase();
  const database = new URL(url).pathname.slice(1);
  for (const role of ROLES) await execute(server, `CREATE ROLE ${name(role)} LOGIN PASSWORD 'let me in'`);
  await execute(server, `GRANT CREATE ON DATABASE ${database} TO ${name("owner")}`);
  onTestFinished(async () => {
    for (const role of ROLES) await execute(url, `DROP OWNED BY ${name(role)} CASCADE`);
    for (const role of ROLES) await execute(server, `DROP ROLE ${name(role)}`);
  });
  return { name, url };
}

async function team(): Promise<Team> {
  const { name, url: base } = await makeRoles();
  const urlOf = (role: Role) =>
    elsewhere(base, (url) => {
      url.username = name(role);
      url.password = "let me in";
    });
  const url = {
    owner: urlOf("owner"),
    worker: urlOf("worker"),
    submitter: urlOf("submitter"),
    reader: urlOf("reader"),
  };
  const box = sandbox();
  const env = (role: Role) => ({
    CONVERGE_DATABASE_URL: url[role],
    CONVERGE_HOME: path.join(box.home, "..", `home-of-${role}`),
  });
  expect(await box.start(["limits", "--total", "none"], env("owner")).answer).toMatchObject({ code: 0 });
  const grants = fs.readFileSync(SQL, "utf8");
  await execute(
    url.owner,
    ROLES.reduce((text, role) => text.replaceAll(`converge_${role}`, name(role)), grants),
  );
  const worker = box.start(["worker", "--concurrency", "2"], env("worker"));
  onTestFinished(async () => {
    worker.child.kill("SIGTERM");
    const { stderr } = await worker.answer;
    expect(stderr).not.toMatch(/permission denied/);
  });
  return { url, as: (role, ...args) => box.start(args, env(role)).answer };
}

const AGENT = ["-p", "x", "--agent-cmd", "date +%N > file", "--gate", "test $CONVERGE_ITERATION = 2"];

function storeAs(url: string): Store {
  const store = postgres(url);
  onTestFinished(() => store.close());
  return store;
}

describe("the roles of examples/deployment/roles.sql", () => {
  it("let a worker work, a submitter submit and send commands, a reader read, and no more", async () => {
    const { url, as } = await team();
    const submitted = await as("submitter", "submit", "--json", ...AGENT);
    expect(submitted).toMatchObject({ code: 0 });
    const { run } = JSON.parse(submitted.stdout) as { run: string };
    const look = storeAs(url.reader);
    const last = async () => (await look.read(run)).at(-1);
    await waitFor(async () => (await last())?.type === "run.ended");
    expect(await last()).toMatchObject({ outcome: "converged" });

    expect(await as("submitter", "run", ...AGENT)).toMatchObject({ code: 0 });

    for (const args of [["ls"], ["show", run], ["watch", run], ["workers"]])
      expect(await as("reader", ...args)).toMatchObject({ code: 0 });
    expect(await as("reader", "submit", ...AGENT)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("permission denied"),
    });
    await expect(look.send(run, { type: "pause" })).rejects.toThrow(/permission denied/);

    // A worker removes dead workers with the same rights.
    const dead = JSON.stringify({ labels: [], concurrency: 1, version: "1" });
    await execute(
      url.owner,
      `INSERT INTO converge.members (host, pid, home, worker) VALUES ('gone', 1, '/', '${dead}')`,
    );
    await waitFor(async () => (await look.presence?.workers())?.every(({ host }) => host !== "gone"));

    // Starts tomorrow, so nobody drives it yet.
    const later = await as("submitter", "submit", "--json", "--in", "24h", ...AGENT);
    const { run: waiting } = JSON.parse(later.stdout) as { run: string };
    expect(await as("submitter", "steer", waiting, "mind the gap")).toMatchObject({ code: 0 });
    expect(await as("submitter", "stop", waiting)).toMatchObject({ code: 0 });
    expect((await look.read(waiting)).at(-1)).toMatchObject({ type: "run.ended", outcome: "stopped" });

    for (const role of ["worker", "submitter", "reader"] as const)
      for (const change of [
        "UPDATE converge.events SET body = ''",
        "DELETE FROM converge.events",
        "DELETE FROM converge.commands",
        "UPDATE converge.version SET version = 0",
        "UPDATE converge.capacity SET total = 1",
        "CREATE TABLE converge.mine ()",
        "DROP TABLE converge.lessons",
      ])
        await expect(execute(url[role], change)).rejects.toThrow(/permission denied|must be owner/);
  });
});
