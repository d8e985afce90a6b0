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

const eventsAt = (server: Receiver) => server.bodies<Told>().map(({ event }) => event);

const QUICK = {
  prompt: "Do it.\nWith care.",
  agent: command('echo "$CONVERGE_ITERATION" > n'),
  isolation: "off" as const,
};

it("notifies of an escalated gate, of waiting and of a stop by another process", async () => {
  const box = sandbox();
  const server = await receiver();
  const run = converge(
    {
      ...QUICK,
      // The agent still runs when the notification command of the first iteration ends, and must not be taken for a leftover.
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
  // A notification command must not control the run.
  const mark = { CONVERGE_RUN: `${recorded.id}.${recorded.id}-9-1` };
  const refused = await box.start(["approve", recorded.id], mark).answer;
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("an agent cannot approve")]);
  await run.stop("enough");
  expect(new Set(eventsAt(server))).toEqual(new Set(["escalated", "waiting", "stopped"]));
  expect(server.bodies<Told>().find(({ event }) => event === "escalated")).toMatchObject({
    run: recorded.id,
    gate: "red",
    title: "Do it.",
    workspace: box.dir,
    iterations: 1,
  });
  expect(server.bodies().at(-1)).toMatchObject({ event: "stopped", state: "stopped", reason: "enough" });
  expect(box.read("../said")).toBe("escalated\n");
  // Neither the record nor the output contains the URL.
  expect(JSON.stringify(recorded)).not.toContain("path-of-mine");
  expect(fs.readFileSync(path.join(box.home, "converge.db"), "latin1")).not.toContain("path-of-mine");
  expect(fs.readdirSync(path.join(box.home, "outbox"))).toEqual([]);
});

it("a retry after a kill delivers the notification under the same id", async () => {
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

it("notifies of a later deliver and restore, but not of a delivery by the run itself", async () => {
  const box = sandbox();
  const notify = [
    { command: 'echo "$CONVERGE_EVENT: $CONVERGE_REASON" >> ../notices', on: ["delivered", "restored"] },
    { command: 'echo "$CONVERGE_EVENT" >> ../defaults' },
  ];
  box.write(
    taskFile({
      agent: { type: "command", command: "echo fixed > n" },
      gates: ["grep -q fixed n"],
      deliver: "branch",
      notify,
    }),
  );
  box.commitAll();
  expect((await box.start(["run", "--json"]).answer).code).toBe(0);
  expect(fs.existsSync(path.join(box.dir, "../notices"))).toBe(false);
  const delivery = await box.start(["deliver", "last", "--as", "patch", "--file", "../work.patch"]).answer;
  expect([delivery.code, delivery.stderr]).toEqual([0, ""]);
  const restore = await box.start(["restore", "last", "--iteration", "base"]).answer;
  expect(restore.code, restore.stderr).toBe(0);
  expect(box.read("../notices").split("\n")).toEqual([
    `delivered: delivered as patch: ${path.resolve(box.dir, "../work.patch")}`,
    expect.stringMatching(
      /^restored: the workspace has the files from before the run; .* saved as [0-9a-f]{12}$/,
    ),
    "",
  ]);
  expect(box.read("../defaults")).toBe("converged\n");
});

it("converge notify test notifies every sink once and reports each result", async () => {
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
  expect([code, stderr, eventsAt(good)]).toEqual([5, "", ["test"]]);
});

it("warns about an unset secret variable and sends nothing unsigned", async () => {
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
