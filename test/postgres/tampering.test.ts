import { describe, expect, it, onTestFinished } from "vitest";
import { postgres } from "#stores/postgres/postgres-store";
import { event, startedAt } from "#testing/store";
import { execute, freshDatabase } from "../support/database.ts";
import { refusal } from "../support/refused-as-tampered.ts";

async function filled() {
  const url = await freshDatabase();
  const store = postgres(url);
  onTestFinished(() => store.close());
  await store.append("a", 0, [startedAt("a", 0), event("a", 2), event("a", 3)]);
  return { store, url };
}

describe("tampering through SQL", () => {
  it("is detected, and the message names the event, the database and what to do", async () => {
    const { store, url } = await filled();
    await execute(url, "UPDATE converge.events SET body = replace(body, 'go on', 'give up') WHERE seq = 2");
    const message = await refusal(store.read("a"));
    expect(message).toMatch(/run a was changed from outside: event 2 does not match its hash/);
    expect(message).toMatch(/Keep Postgres at [^ ]+ as \w+, database converge_\w+ to find out/);
    expect(message).not.toContain(new URL(url).password);
  });

  it.each([
    ["changed", 'UPDATE converge.commands SET body = \'{"type":"stop"}\' WHERE id = 1', "a"],
    ["deleted", "DELETE FROM converge.commands WHERE id = 1", "a"],
    ["moved to another run", "UPDATE converge.commands SET run = 'b'", "b"],
    [
      "inserted",
      "INSERT INTO converge.commands VALUES ('a', 9, gen_random_uuid(), '{\"type\":\"stop\"}', '')",
      "a",
    ],
  ])("is detected when a command was %s", async (_, change, run) => {
    const { store, url } = await filled();
    await store.send("a", { type: "pause" });
    await store.send("a", { type: "pause" });
    await execute(url, change);
    expect(await refusal(store.inbox(run, 0))).toMatch(/command \d in its inbox does not match its hash/);
  });

  it.each([
    ["DELETE FROM converge.runs", /missing in the list of runs/],
    ["DELETE FROM converge.events", /its events are missing/],
  ])("is detected when a run is removed: %s", async (change, what) => {
    const { url } = await filled();
    await execute(url, change);
    const later = postgres(url);
    onTestFinished(() => later.close());
    expect(await refusal(later.read("a"))).toMatch(what);
  });

  it("cannot put terminal escapes into the list of runs", async () => {
    const { store, url } = await filled();
    await execute(url, "INSERT INTO converge.runs VALUES (chr(27) || '[2Jq', '', '')");
    const ids = (await store.runs()).map(({ id }) => id);
    expect(ids.sort()).toEqual(["a", "q"]);
  });
});
