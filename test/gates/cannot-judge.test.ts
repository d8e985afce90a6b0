import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { command } from "#gates/command";
import type { Verdict } from "#spec/verdict";
import { exampleRequest, exampleRun } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { folders, write } from "../support/folders.ts";

interface Judging {
  readonly command: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly iteration?: number;
  readonly prompt?: string;
  readonly diff?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function judge({ files = {}, iteration = 0, prompt = "x", diff = "", env, ...options }: Judging) {
  const places = folders();
  write(places.dir, files);
  const run = { ...exampleRun([], { task: { prompt } }), id: uniqueRun() };
  const request = exampleRequest({ run, iteration, ...places, diff: async () => diff, ...(env && { env }) });
  return command("tests", options).judge(request, new AbortController().signal);
}

const PACKAGE = {
  "package.json": JSON.stringify({ scripts: { test: "no-such-runner run", lint: "true" } }),
};
const MAKEFILE = { Makefile: "test:\n\tno-such-tool x\nbuilt:\n\t./built\n" };

describe("a gate that cannot judge is errored at the baseline, with advice", () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["nodee --test", {}, /^nodee: command not found; check the command \(did you mean node\?\)$/],
    ["cd . && no-such-tool -q", {}, /^no-such-tool: command not found; check the command$/],
    [
      "npm run tets",
      PACKAGE,
      /^package.json has no script "tets"; check the command \(did you mean test\?\)$/,
    ],
    ["npm test", PACKAGE, /^no-such-runner: command not found; install the dependencies \(npm install\)$/],
    ["npm test", {}, /^package.json: no such file/],
    ["make tset", MAKEFILE, /^there is no target "tset"; check the command \(did you mean test\?\)$/],
    ["make test", MAKEFILE, /^no-such-tool: command not found; install it$/],
    ["make", {}, /^makefile: no such file/],
    ["node gone.js", {}, /^gone.js: no such file; check the command$/],
    ["node --test gone.test.js", {}, /^gone.test.js: no such file/],
    ["python3 gone.py", {}, /gone.py: no such file/],
    ["python3 -m no_such_module", {}, /^python has no module no_such_module; install it/],
    ["sh gone.sh", {}, /^gone.sh: no such file/],
    ["bash gone.sh", {}, /^gone.sh: command not found/],
    ["./gone.sh", {}, /^\.\/gone.sh: command not found/],
    ["cd gone && make", {}, /^gone: no such folder/],
    ["./plain.txt", { "plain.txt": "x" }, /^\.\/plain.txt cannot be executed; run: chmod \+x \.\/plain.txt$/],
  ])("%s", async (line, files, summary) => {
    const verdict = await judge({ command: line, files });
    expect(verdict.summary).toMatch(summary);
    expect(verdict.status).toBe("errored");
  });

  it("names the Windows line ending of a script", async () => {
    const verdict = await judge({ command: "./crlf.sh", files: { "crlf.sh": "#!/bin/sh\r\nexit 0\r\n" } });
    expect(verdict).toMatchObject({ status: "errored" });
    expect(verdict.summary).toContain("first line of ./crlf.sh ends in a carriage return");
  });
});

describe("a gate that did judge is failed at the baseline", () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ["a crash by a signal", "kill -SEGV $$", {}],
    [
      "a test report, whatever the exit code",
      "printf 'TAP version 13\\n1..1\\nnot ok 1 - a\\n'; exit 127",
      {},
    ],
    ["a module that the code under test does not find", "node a.js", { "a.js": "require('./gone.js')" }],
    ["a program that a recipe of make has yet to build", "make built", MAKEFILE],
    ["words of a program about a missing file", "echo 'a: No such file or directory' >&2; exit 1", {}],
  ])("%s", async (_, line, files) => {
    expect((await judge({ command: line, files })).status).toBe("failed");
  });

  it("a file that the prompt asks for by name", async () => {
    const wanted = { command: "python3 hello.py", prompt: "Write hello.py, which prints hello." };
    expect((await judge(wanted)).status).toBe("failed");
    expect((await judge({ ...wanted, prompt: "Write a program." })).status).toBe("errored");
  });
});

describe("after the baseline", () => {
  const later = async (judging: Judging): Promise<Verdict["status"]> =>
    (await judge({ iteration: 2, ...judging })).status;

  it("a missing file, script or target of the workspace is the agent's failure", async () => {
    expect(await later({ command: "./gone.sh" })).toBe("failed");
    expect(await later({ command: "npm run tets", files: PACKAGE })).toBe("failed");
    expect(await later({ command: "npm test", files: PACKAGE })).toBe("failed");
    expect(await later({ command: "make tset", files: MAKEFILE })).toBe("failed");
  });

  it("a program missing from the machine is not the agent's failure", async () => {
    expect(await later({ command: "no-such-tool -q" })).toBe("errored");
    expect(await later({ command: "/no/such/place/tool" })).toBe("errored");
  });

  it("a missing program in a script is the agent's failure only if its diff mentions it", async () => {
    const files = { "check.sh": "#!/bin/sh\nno-such-tool\n" };
    expect(await later({ command: "sh check.sh", files })).toBe("errored");
    expect(await later({ command: "sh check.sh", files, diff: "+++ b/check.sh\n+no-such-tool" })).toBe(
      "failed",
    );
  });

  it("a missing program is the agent's failure when PATH leads into the workspace", async () => {
    const places = folders();
    const bin = path.join(places.dir, ".venv", "bin");
    fs.mkdirSync(bin, { recursive: true });
    const run = { ...exampleRun([]), id: uniqueRun() };
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const request = exampleRequest({ run, iteration: 2, ...places, env, diff: async () => "" });
    const gate = command("tests", { command: "no-such-tool" });
    expect((await gate.judge(request, new AbortController().signal)).status).toBe("failed");
  });
});

describe("a timeout at the baseline", () => {
  const timed = async (line: string) => {
    const places = folders();
    const run = { ...exampleRun([]), id: uniqueRun() };
    const request = exampleRequest({ run, iteration: 0, ...places });
    const gate = command("tests", {
      command: line,
      timeoutMs: 2_000,
      grace: { interruptMs: 50, terminateMs: 50 },
    });
    return gate.judge(request, new AbortController().signal);
  };

  it("says that the limit is too short when output was still growing", async () => {
    const growing = await timed("while :; do echo x; sleep 0.05; done");
    expect(growing.summary).toMatch(
      /^timed out after 2 s while its output was still growing: the limit is too short/,
    );
    const silent = await timed("sleep 1000");
    expect(silent.summary).toBe("timed out after 2 s; raise --gate-timeout");
  });
});
