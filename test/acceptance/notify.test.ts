import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { command, converge } from "../../src/index.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { taskFile } from "../support/run-task.ts";
import { sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

interface Told {
  readonly id: string;
  readonly event: string;
  readonly gate?: string;
}

const told = (server: Receiver) => server.bodies<Told>().map(({ event }) => event);

const QUICK = {
  prompt: "Do it.\nWith care.",
  agent: command('echo "$CONVERGE_ITERATION" > n'),
  isolation: "off" as const,
};

it("a run tells of a gate that was escalated, that it waits, and that a stop from elsewhere ended it", async () => {
  const box = sandbox();
  const server = await receiver();
  const run = converge(
    {
      ...QUICK,
      // Still at work when the command that is told of the first iteration ends, and not to be taken for what it left.
      agent: command('[ "$CONVERGE_ITERATION" = 1 ] || sleep 0.7; echo "$CONVERGE_ITERATION" > n'),
      gates: [
        { name: "red", command: 'test "$(cat n)" = 2', onFailure: "escalate" },
        { name: "person", type: "approval" },
      ],
      notify: [
        { webhook: `${server.url}/path-of-mine`, on: ["escalated", "waiting", "stopped"] },
        { command: 'echo "$CONVERGE_EVENT" >> ../said', on: ["escalated"] },
      ],
    },
    { cwd: box.dir, home: box.home },
  );
  const { state, run: recorded } = await run;
  expect([state, recorded.iterations.map(({ agent }) => agent?.ok)]).toEqual(["waiting", [true, true]]);
  // What is told of a run may not speak to it.
  const mark = { CONVERGE_RUN: `${recorded.id}.${recorded.id}-9-1` };
  const refused = await box.start(["approve", recorded.id], mark).answer;
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("an agent cannot approve")]);
  await run.stop("enough");
  expect(new Set(told(server))).toEqual(new Set(["escalated", "waiting", "stopped"]));
  expect(server.bodies<Told>().find(({ event }) => event === "escalated")).toMatchObject({
    run: recorded.id,
    gate: "red",
    title: "Do it.",
    workspace: box.dir,
    iterations: 1,
  });
  expect(server.bodies().at(-1)).toMatchObject({ event: "stopped", state: "stopped", reason: "enough" });
  expect(box.read("../said")).toBe("escalated\n");
  // Nothing that is kept of the run, or shown of it, has the URL in it.
  expect(JSON.stringify(recorded)).not.toContain("path-of-mine");
  expect(fs.readFileSync(path.join(box.home, "converge.db"), "latin1")).not.toContain("path-of-mine");
  expect(fs.readdirSync(path.join(box.home, "outbox"))).toEqual([]);
});

it("killed before it could deliver, the run is told of when somebody looks again, under the same id", async () => {
  const box = sandbox();
  const server = await receiver({ hangs: true });
  box.write(
    taskFile({
      agent: { type: "command", command: "true" },
      gates: ["true"],
      notify: [{ webhook: server.url, secretEnv: "HOOK_SECRET" }],
    }),
  );
  const env = { HOOK_SECRET: "Vq7xT2mK9pLw4Zs8" };
  const { child, answer } = box.start(["run", "--json"], env);
  await waitFor(() => server.received.length > 0);
  child.kill("SIGKILL");
  expect((await answer).stdout).not.toContain(server.url);
  server.answer({});
  const retried = await box.start(["notify", "--retry", "--json"], env).answer;
  const [first, second] = server.received.map(({ headers }) => headers["converge-delivery"]);
  expect(second).toBe(first);
  expect(JSON.parse(retried.stdout)).toEqual({
    id: first,
    to: `webhook ${new URL(server.url).host}`,
    delivered: true,
  });
  expect(retried.code).toBe(0);
});

it("converge notify test tells everybody once, and says what came of each", async () => {
  const box = sandbox();
  const good = await receiver();
  const bad = await receiver({ status: 404 });
  const bin = path.join(box.dir, "../bin");
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, "notify-send"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  box.write(
    taskFile({
      agent: { type: "command", command: "true" },
      notify: [
        { webhook: good.url, on: ["stopped"] },
        { slack: { urlEnv: "SLACK_WEBHOOK" } },
        { desktop: true },
        { command: "exit 1" },
      ],
    }),
  );
  const env = { SLACK_WEBHOOK: `${bad.url}/hidden`, PATH: `${bin}:${process.env.PATH}` };
  const { code, stdout, stderr } = await box.start(["notify", "test"], env).answer;
  const [webhook, slack, desktop, shell] = stdout.split("\n");
  expect([webhook, slack, desktop]).toEqual([
    `webhook ${new URL(good.url).host}: delivered`,
    "slack $SLACK_WEBHOOK: not delivered: answered 404",
    "desktop: delivered",
  ]);
  expect(shell).toMatch(/^command: not delivered: exit 1; its output is in /);
  expect([code, stderr, told(good)]).toEqual([5, "", ["test"]]);
});

it("a variable that is not set is said when the run starts, and nothing is sent unsigned", async () => {
  vi.stubEnv("HOOK_SECRET", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const box = sandbox();
  const server = await receiver();
  const warned: string[] = [];
  const { outcome } = await converge(
    {
      ...QUICK,
      gates: ["true"],
      protect: "off",
      notify: [{ webhook: server.url, secretEnv: "HOOK_SECRET" }],
    },
    { cwd: box.dir, home: box.home, onWarning: (text) => warned.push(text) },
  );
  expect(outcome).toBe("converged");
  expect(warned).toEqual([
    "secrets: HOOK_SECRET is not set, so there is nothing to mask; set it, or remove its name",
    `notify: webhook ${new URL(server.url).host}: the variable HOOK_SECRET is not set; retried with the next run. Retry now with: converge notify --retry`,
  ]);
  expect(server.received).toEqual([]);
});
