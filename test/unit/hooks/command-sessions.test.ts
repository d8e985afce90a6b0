// Runs session loops through the built command line and through broken programs.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandSessions } from "#hooks/command-sessions";
import { answerCall } from "#hooks/session-call";
import { ConfigError, UsageError } from "#spec/errors";
import type { Sessions, SessionWish } from "#spec/session";
import { folders, numbersIn, temporary } from "../../support/folders.ts";
import { isAlive } from "../../support/processes.ts";

const CLI = [process.execPath, fileURLToPath(new URL("../../../bin/converge.js", import.meta.url))];
const KEY = { host: "example", session: "one" };

function example(onWarning?: (text: string) => void) {
  const { dir, files } = folders();
  const env = { ...process.env, CONVERGE_HOME: files, XDG_CONFIG_HOME: files };
  const open = () => commandSessions({ command: CLI, env, ...(onWarning && { onWarning }) });
  return { dir, files, sessions: open(), again: open };
}

/** test/agents/command-sessions.test.ts runs the whole conformance suite, in about eighty processes. */
it("runs a loop through the command line from start to end", async () => {
  const { dir, sessions, again } = example();
  expect(await sessions.start(KEY, { prompt: "Count.", dir })).toMatchObject({ iteration: 1 });
  expect(await sessions.turn(KEY, { iteration: 1, message: "One." })).toMatchObject({ type: "go-on" });
  const last = await again().turn(KEY, { iteration: 2, message: "<promise>DONE</promise>" });
  expect(last).toMatchObject({ type: "ended", outcome: "converged" });
});

/** Opens sessions through a program that runs this script. */
function program(script: string, options: { readonly timeoutMs?: number } = {}): Sessions {
  const file = path.join(temporary(), "program.mjs");
  fs.writeFileSync(file, script);
  return commandSessions({ command: [process.execPath, file], ...options });
}

const failure = (call: Promise<unknown>) => call.then(() => undefined).catch((error: Error) => error);

describe("errors of the command line keep their type", () => {
  it("an invalid request, with its problems", async () => {
    const { dir, sessions } = example();
    const error = await failure(sessions.start(KEY, { prompt: "x", dir, maxIterations: 0 }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error?.message).toContain("limits.iterations");
  });

  it("an unknown shape", async () => {
    const { sessions } = example();
    const error = await failure(sessions.start(KEY, { prompt: "x", dir: "here", speed: 3 } as SessionWish));
    expect(error).toBeInstanceOf(UsageError);
    expect(error?.message).toMatch(/start\.wish\.dir: expected an absolute path/);
    expect(error?.message).toMatch(/"speed"/);
  });

  it("passes warnings on next to the answer", async () => {
    const warnings: string[] = [];
    const { files, sessions } = example((warning) => warnings.push(warning));
    const folder = path.join(files, "sessions");
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "broken.json"), "{");
    expect(await sessions.list("example")).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("it is not JSON")]);
  });
});

describe("a program without an answer causes a clear error", () => {
  it.each([
    ["prints nonsense", "console.log('hello')", /gave no answer \(exit code 0\); its output: hello/],
    ["prints another kind of JSON", "console.log('{\"warnings\":3}')", /gave no answer/],
    [
      "fails with an error message",
      "console.error('no such thing'); process.exit(7)",
      /exit code 7.*no such thing/,
    ],
    ["is killed in mid-answer", "process.kill(process.pid, 'SIGKILL')", /killed by SIGKILL/],
    ["prints nothing", "", /its output: nothing/],
  ])("%s", async (_, script, words) => {
    const call = program(script).turn(KEY, { iteration: 1, message: "x".repeat(3_000_000) });
    expect((await failure(call))?.message).toMatch(words);
  });

  it("is not installed", async () => {
    const error = await failure(commandSessions({ command: ["/nowhere/converge"] }).find(KEY));
    expect(error?.message).toMatch(/`\/nowhere\/converge hook session` gave no answer \(.*ENOENT/);
  });

  it("hangs: it is killed at the timeout when the call runs no gates", async () => {
    const pids = path.join(temporary(), "pids");
    const script = `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(pids)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const error = await failure(program(script, { timeoutMs: 2_000 }).find(KEY));
    expect(error?.message).toMatch(/did not answer within 2 s/);
    expect(numbersIn(pids).map(isAlive)).toEqual([false]);
  });

  it("detects exit while a child process still holds stdout", async () => {
    const pids = path.join(temporary(), "pids");
    const script = `import fs from "node:fs"; import { spawn } from "node:child_process";
const { pid } = spawn("sleep", ["600"], { stdio: "inherit", detached: true });
fs.writeFileSync(${JSON.stringify(pids)}, String(pid)); process.exit(1)`;
    const error = await failure(program(script).turn(KEY, { iteration: 1, message: "x" }));
    expect(error?.message).toMatch(/exit code 1/);
    for (const pid of numbersIn(pids)) process.kill(pid, "SIGKILL");
  });
});

describe("converge hook session answers any input", () => {
  it.each([
    ["no JSON", "start!", /expected a call as JSON on standard input, got \\?"start!/],
    ["nothing", "", /expected a call as JSON/],
    ["null", "null", /expected one of the calls start, find, turn, cancel, list, got none/],
    ["an unknown call", '{"call":"toString"}', /got \\"toString\\"/],
    ["no key", '{"call":"find"}', /find\.key: /],
    [
      "a turn without a number",
      '{"call":"turn","key":{"host":"a","session":"b"},"turn":{"message":""}}',
      /turn\.turn\.iteration: /,
    ],
    ["an unknown field", '{"call":"list","host":"a","also":1}', /list: .*also/],
  ])("%s", async (_, input, words) => {
    const answer = await answerCall(input);
    expect(answer).toMatch(words);
    expect(JSON.parse(answer)).toMatchObject({ error: { name: "UsageError" }, warnings: [] });
  });
});
