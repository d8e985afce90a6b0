import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sessionStates } from "#hooks/sessions/session-file";
import { sessions } from "#hooks/sessions/session-runs";
import { openContext } from "#state/context";
import { homeFrom } from "#state/home";
import { folders, temporary } from "../../../support/folders.ts";
import { execute } from "../../../support/tamper.ts";

const KEY = { host: "example", session: "one" };
const STATE = { ...KEY, run: "abcdefgh", mark: 3, errors: 0 };

function openStates() {
  const { dir, files } = folders();
  const app = openContext({ CONVERGE_HOME: files, XDG_CONFIG_HOME: files });
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const file = app.home.sessionFile(KEY.host, KEY.session);
  fs.mkdirSync(app.home.sessions);
  return { dir, app, warnings, file, keeper: sessions(app, { warn }), states: sessionStates(app.home, warn) };
}

const BROKEN: readonly (readonly [string, string, (file: string) => void])[] = [
  ["is truncated", "it is not JSON", (file) => fs.writeFileSync(file, JSON.stringify(STATE).slice(0, 30))],
  ["is empty", "it is not JSON", (file) => fs.writeFileSync(file, "")],
  ["is binary", "it is not JSON", (file) => fs.writeFileSync(file, Buffer.from([0, 255, 254, 1, 128]))],
  ["is a list", "it has not the keys it should", (file) => fs.writeFileSync(file, "[1]")],
  ["is null", "it has not the keys it should", (file) => fs.writeFileSync(file, "null")],
  ["lacks a key", "it has not the keys it should", (file) => fs.writeFileSync(file, JSON.stringify(KEY))],
  ["is a folder", "EISDIR", (file) => fs.mkdirSync(file)],
  // Root can read any file, but not a symlink loop.
  ["cannot be read", "ELOOP", (file) => fs.symlinkSync(file, file)],
  [
    "belongs to another session",
    "it is of another session",
    (file) => fs.writeFileSync(file, JSON.stringify({ ...STATE, session: "two" })),
  ],
];

describe("a state file", () => {
  it.each(BROKEN)(
    "that %s is set aside with a warning (%s), and the session has no loop",
    async (_what, why, make) => {
      const { keeper, file, warnings } = openStates();
      make(file);
      expect(await keeper.find(KEY)).toBeUndefined();
      expect(await keeper.turn(KEY, { iteration: 1, message: "x" })).toEqual({ type: "none" });
      expect(await keeper.list("example")).toEqual([]);
      const [set = "", ...more] = fs.readdirSync(path.dirname(file));
      expect([set.startsWith(`${path.basename(file)}.unreadable-`), more]).toEqual([true, []]);
      expect(warnings).toEqual([expect.stringContaining(why)]);
      expect(warnings[0]).toContain(`set aside as ${path.join(path.dirname(file), set)}`);
    },
  );

  it("that was set aside does not block a new loop", async () => {
    const { keeper, file, dir } = openStates();
    fs.mkdirSync(file);
    const { run } = await keeper.start(KEY, { prompt: "Count.", dir });
    expect((await keeper.find(KEY))?.run).toBe(run);
  });

  it("that points to a missing run is deleted", async () => {
    const { keeper, states, file } = openStates();
    states.write(STATE);
    expect(await keeper.find(KEY)).toBeUndefined();
    expect(fs.existsSync(file)).toBe(false);
  });

  it("that points to a run with a broken hash chain is deleted, and a new loop can start", async () => {
    const { keeper, app, dir, warnings, file } = openStates();
    const { run } = await keeper.start(KEY, { prompt: "Count.", dir });
    execute(app.home.database, `UPDATE events SET hash = 'x' WHERE run = '${run}' AND seq = 2`);
    expect(await keeper.find(KEY)).toBeUndefined();
    expect(fs.existsSync(file)).toBe(false);
    expect(warnings.join()).toContain("the loop of this session is over");
    expect((await keeper.start(KEY, { prompt: "Count.", dir })).iteration).toBe(1);
  });

  it("is written atomically, so that concurrent readers never see a partial file", async () => {
    const home = homeFrom({ CONVERGE_HOME: temporary() });
    const states = sessionStates(home, () => {});
    const file = home.sessionFile(KEY.host, KEY.session);
    states.write(STATE);
    const read = `
      const fs = require("node:fs");
      for (let reads = 0; reads < 2000; reads++) JSON.parse(fs.readFileSync(process.argv[1], "utf8"));
    `;
    const reader = spawn(process.execPath, ["-e", read, file], { stdio: ["ignore", "ignore", "inherit"] });
    while (reader.exitCode === null) {
      for (let size = 0; size < 20; size++)
        states.write({ ...STATE, description: "x".repeat(size * 10_000) });
      await new Promise(setImmediate);
    }
    expect(reader.exitCode).toBe(0);
    expect(fs.readdirSync(home.sessions)).toEqual([path.basename(file)]);
  });
});
