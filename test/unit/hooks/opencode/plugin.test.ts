// The plugin never breaks opencode when something is missing or invalid.
import { expect, test } from "vitest";
import type { Client, Config } from "#hooks/opencode/client";
import { ConvergePlugin } from "#hooks/opencode/plugin";
import { temporary } from "../../../support/folders.ts";

/** A host without sessions that records its toasts. */
function host(options?: Record<string, unknown>) {
  const shown: string[] = [];
  const client: Client = {
    session: {
      get: async () => ({ error: { name: "NotFoundError" }, response: { status: 404 } }),
      messages: async () => ({ error: { name: "NotFoundError" }, response: { status: 404 } }),
      promptAsync: async () => ({ response: { status: 204 } }),
    },
    tui: {
      showToast: async ({ body }) => {
        shown.push(body.message);
        throw new Error("nobody sits here");
      },
    },
  };
  const directory = temporary();
  const load = () => ConvergePlugin({ client, directory }, options);
  const type = async (hooks: Awaited<ReturnType<typeof load>>, command: string, text = "") => {
    const parts = [{ type: "text", text: "as opencode made it" }];
    const failed = await hooks["command.execute.before"]?.(
      { command, sessionID: "s", arguments: text },
      { parts },
    )
      .then(() => undefined)
      .catch((error: Error) => error.message);
    return { failed, parts };
  };
  return { load, type, shown };
}

test("adds its commands to existing ones, and keeps the arguments out of their templates", async () => {
  const hooks = await host().load();
  const config: Config = { command: { mine: { template: "x" } } };
  await hooks.config?.(config);
  expect(Object.keys(config.command ?? {})).toEqual(["mine", "ralph", "cancel-ralph", "ralph-status"]);
  expect(config.command?.ralph?.template).toBe("ralph $999999999");
});

test.each([
  ["a missing command", { command: ["/nowhere/converge"] }, "program /nowhere/converge not found"],
  ["an unknown option", { speed: 3 }, "unknown option speed of the plugin; known: command"],
])(
  "%s: reports the problem once when a loop is requested, without calling the model",
  async (_, options, words) => {
    const { load, type, shown } = host(options);
    const hooks = await load();
    await hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "s" } } });
    expect(shown).toEqual([]);
    const { failed, parts } = await type(hooks, "ralph", "do it");
    expect(failed).toMatch(/answered \/ralph with a message/);
    expect(shown).toEqual([expect.stringContaining(words)]);
    expect(parts).toHaveLength(1);
  },
);

test("ignores other commands", async () => {
  const { load, type, shown } = host({ command: ["/nowhere"] });
  const { failed, parts } = await type(await load(), "review");
  expect({ failed, parts, shown }).toEqual({
    failed: undefined,
    parts: [{ type: "text", text: "as opencode made it" }],
    shown: [],
  });
});

test("activates the last plugin loaded for a folder, unless it has no command line", async () => {
  const options: Record<string, unknown> = { command: [process.execPath] };
  const { load, type, shown } = host(options);
  const [first, second] = [await load(), await load()];
  options.command = ["/nowhere"];
  const third = await load();
  const acts = async (hooks: typeof first) => (await type(hooks, "ralph")).failed !== undefined;
  expect([await acts(first), await acts(second), await acts(third)]).toEqual([false, true, false]);
  expect(shown).toEqual([expect.stringContaining("no task given")]);
});

test.each([undefined, null, 3, {}, { sessionID: 7 }, { sessionID: "s", status: null }, { info: null }])(
  "survives an event with %j",
  async (properties) => {
    const hooks = await host({ command: [process.execPath, "-e", ""] }).load();
    for (const type of ["session.idle", "session.error", "session.status", "session.created", "nonsense"])
      await hooks.event?.({ event: { type, properties } });
  },
);

test("shows its own errors without throwing", async () => {
  const { load, shown } = host({ command: [process.execPath, "-e", "process.exit(3)"] });
  const hooks = await load();
  await hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "s" } } });
  expect(shown).toEqual([expect.stringContaining("opencode answered 404")]);
});
