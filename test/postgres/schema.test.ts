import { randomUUID } from "node:crypto";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { UsageError } from "#spec/errors";
import { postgres } from "#stores/postgres/postgres-store";
import { event } from "#testing/store";
import { elsewhere, execute, freshDatabase } from "../support/database.ts";

async function refusal(url: string): Promise<string> {
  const store = postgres(url);
  onTestFinished(() => store.close());
  const error = await store.runs().then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as Error).message;
}

/** A role that may connect and nothing else. */
async function guest(url: string): Promise<{ name: string; url: string }> {
  const name = `guest_${randomUUID().replaceAll("-", "")}`;
  await execute(url, `CREATE ROLE ${name} LOGIN PASSWORD 'let me in'`);
  onTestFinished(async () => {
    await execute(url, `DROP OWNED BY ${name}`).catch(() => {});
    await execute(inject("databaseUrl"), `DROP ROLE ${name}`);
  });
  const theirs = elsewhere(url, (changed) => {
    changed.username = name;
    changed.password = "let me in";
  });
  return { name, url: theirs };
}

async function made(): Promise<string> {
  const url = await freshDatabase();
  const store = postgres(url);
  await store.append("a", 0, [event("a", 1)]);
  await store.close();
  return url;
}

describe("the schema", () => {
  it("of a newer Converge is refused with advice, also by an open store", async () => {
    const url = await made();
    const store = postgres(url);
    await store.read("a");
    await execute(url, "UPDATE converge.version SET version = 99");
    expect(await refusal(url)).toMatch(/newer Converge \(schema 99, this one knows \d+\); update Converge/);
    await execute(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await expect(store.append("a", 1, [event("a", 2)])).rejects.toThrow(/newer Converge/);
    await store.close();
  });

  it("needs no CREATE privilege once it exists", async () => {
    const url = await made();
    const { name, url: theirs } = await guest(url);
    expect(await refusal(theirs)).toMatch(/permission denied.*USAGE on the schema converge/);
    await execute(
      url,
      `GRANT USAGE ON SCHEMA converge TO ${name}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA converge TO ${name}`,
    );
    const store = postgres(theirs);
    await store.append("a", 1, [event("a", 2)]);
    await store.send("a", { type: "pause" });
    expect([(await store.read("a")).length, (await store.inbox("a", 0)).length]).toEqual([2, 1]);
    await store.close();
  });

  it("reports when a role may not create it", async () => {
    const { url } = await guest(await freshDatabase());
    expect(await refusal(url)).toMatch(/permission denied for database/);
  });

  it("commits durably even when the role sets synchronous_commit = off", async () => {
    const url = await made();
    const [{ user } = { user: "" }] = await execute(url, "SELECT current_user AS user");
    await execute(
      url,
      `ALTER ROLE ${user} IN DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`,
    );
    const before = await execute(url, "SELECT current_setting('synchronous_commit') AS is");
    await execute(
      url,
      "CREATE FUNCTION converge.noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.body = current_setting('synchronous_commit'); RETURN NEW; END $$",
      "CREATE TRIGGER noted BEFORE INSERT ON converge.lessons FOR EACH ROW EXECUTE FUNCTION converge.noted()",
    );
    const store = postgres(url);
    await store.learn({ run: "a", v: 1, workspace: "/", agent: "a", at: "", transitions: [] });
    await store.close();
    const after = await execute(url, "SELECT body AS is FROM converge.lessons");
    expect([before, after]).toEqual([[{ is: "off" }], [{ is: "on" }]]);
  });
});

describe("connection errors", () => {
  it.each([
    ["not a url at all", /not valid; expected postgres:\/\/USER:PASSWORD@HOST:PORT\/DATABASE/],
    ["mysql://me:hunter22@db/x", /begins with mysql:; expected postgres/],
    ["postgres://me:hunter22%zz@db/%zz", /is not an escape/],
  ])("refuses an invalid URL: %s", (url, message) => {
    expect(() => postgres(url)).toThrow(message);
    expect(() => postgres(url)).not.toThrow(/hunter22/);
  });

  it("reports an unreachable server", async () => {
    const message = await refusal("postgres://me:hunter22@127.0.0.1:1/runs");
    expect(message).toMatch(/cannot reach Postgres at 127\.0\.0\.1:1 as me, database runs: .*ECONNREFUSED/);
    expect(message).not.toContain("hunter22");
  });

  it("reports a wrong password and a missing database at once", async () => {
    const url = inject("databaseUrl");
    const wrong = elsewhere(url, (changed) => {
      changed.password = "hunter22";
    });
    const message = await refusal(wrong);
    expect(message).toMatch(/cannot use Postgres at .* as \w+, database \w+: password authentication failed/);
    expect(message).not.toContain("hunter22");
    const nowhere = elsewhere(url, (changed) => {
      changed.pathname = "/nowhere";
    });
    expect(await refusal(nowhere)).toMatch(/database "nowhere" does not exist/);
  });
});
