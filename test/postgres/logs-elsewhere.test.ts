import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "#server/server";
import type { RunEvent } from "#spec/event";
import { openContext } from "#state/context";
import { newToken } from "#state/server-token";
import { postgres } from "#stores/postgres/postgres-store";
import { event, startedAt } from "#testing/store";
import { freshDatabase } from "../support/database.ts";
import { beside } from "../support/observe.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

/** Another state folder on the same database, which sees the driver through the same locks. */
function otherDesk(box: Sandbox, url: string) {
  const home = path.join(box.home, "..", "other-home");
  return { CONVERGE_DATABASE_URL: url, CONVERGE_HOME: home };
}

async function serverOf(env: NodeJS.ProcessEnv) {
  const app = openContext(env);
  const token = newToken();
  const options = { app, token, port: 0, host: "127.0.0.1", cli: "converge", warn: () => {} };
  const server = await startServer(options);
  onTestFinished(async () => {
    await server.close();
    await app.store.close();
  });
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it.
  return async (route: string): Promise<any> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${route}`, { headers });
    return response.json();
  };
}

it("shows a run's logs in another state folder: live, to a follower, through a server and afterwards", async () => {
  const url = await freshDatabase();
  const box = sandbox();
  const there = otherDesk(box, url);
  const out = beside(box);
  const token = "s3cret-token-of-the-test-0123456789";
  const wait = `while ! [ -e ${out.place("go")} ]; do sleep 0.05; done`;
  box.write({ "token.txt": `${token}\n` });
  const agent = `echo hello; cat token.txt; touch ${out.place("waiting")}; ${wait}; echo bye; touch done`;
  const gate = "echo judged && test -e done";
  const run = box.start(["run", "-p", "x", "--agent-cmd", agent, "--gate", gate], {
    CONVERGE_DATABASE_URL: url,
    MY_TOKEN: token,
  });
  await waitFor(() => out.exists("waiting"));
  const store = postgres(url);
  onTestFinished(() => store.close());
  const id = (await store.runs())[0]?.id ?? "";

  const follower = box.start(["logs", id, "--follow"], there);
  await follower.until(/hello/);
  const ask = await serverOf({ ...process.env, ...there });
  const live = await waitFor(async () => {
    const piece = await ask(`/runs/${id}/iterations/1/log?part=agent&stream=stdout`);
    return piece.text?.includes("hello") && piece;
  });
  expect(live.text).not.toContain("bye");
  out.touch("go");
  expect((await run.answer).code).toBe(0);

  const { code, stdout } = await follower.answer;
  const shown = /── iteration 1 · agent · stdout\nhello\n‹secret MY_TOKEN›\nbye\n/;
  expect([code, stdout]).toEqual([0, expect.stringMatching(shown)]);
  const later = await box.start(["logs", id], there).answer;
  expect(later.stdout).toMatch(shown);
  expect(later.stdout).toMatch(/── iteration 1 · .* · stdout\njudged\n/);
  expect(later.stdout).not.toContain(token);
  const here = await box.start(["logs", id], { CONVERGE_DATABASE_URL: url }).answer;
  expect(here.stdout).toBe(later.stdout);
  expect(fs.existsSync(path.join(box.home, "copies"))).toBe(false);
  expect((await ask(`/runs/${id}/iterations/1`)).logs).toEqual([
    expect.objectContaining({ part: "agent", stream: "stdout" }),
    expect.objectContaining({ stream: "stdout", bytes: 7 }),
  ]);
});

it("a follower restarts the output of an iteration that another machine repeats", async () => {
  const url = await freshDatabase();
  const store = postgres(url);
  onTestFinished(() => store.close());
  const run = "followed";
  await store.append(run, 0, [startedAt(run, 0), { ...event(run, 2), iteration: 1 } as RunEvent]);
  const keep = (origin: string, since: number, text: string) =>
    store.logs?.keep(run, { file: "1/agent/stdout.log", origin, since }, [
      { at: 0, bytes: Buffer.from(text) },
    ]);
  await keep("one:/state", 1, "half of it\n");
  const follower = sandbox().start(["logs", run, "--follow"], { CONVERGE_DATABASE_URL: url });
  await follower.until(/half of it/);
  await keep("two:/state", 2, "all of it, and more than before\n");
  const title = "── iteration 1 · agent · stdout\n";
  expect((await follower.answer).stdout).toBe(
    `${title}half of it\n${title}all of it, and more than before\n`,
  );
});
