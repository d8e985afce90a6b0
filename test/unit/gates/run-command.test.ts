import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { command } from "#gates/command";
import { exampleRequest, exampleRun } from "#testing/run";
import { uniqueRun } from "#testing/unique-run";
import { folders } from "../../support/folders.ts";

async function judge(line: string, env?: Readonly<Record<string, string>>) {
  const places = folders();
  const run = { ...exampleRun([]), id: uniqueRun() };
  const request = exampleRequest({ run, iteration: 0, ...places, ...(env && { env }) });
  const verdict = await command("tests", { command: line }).judge(request, new AbortController().signal);
  return { ...verdict, dir: places.dir };
}

describe("a gate with a pipe", () => {
  it.each([
    "yes | head -1",
    "seq 100000 | head -1",
    "true | tee log",
    "cd . && yes | head -1 && true",
    "for i in 1 2 3; do echo $i; done | cat",
    'echo "a|b" | grep "a|b"',
    "X=1 yes | head -1 > out; test -s out",
  ])("passes: %s", async (line) => {
    expect(await judge(line)).toMatchObject({ status: "passed" });
  });

  it.each<[string, number]>([
    ["false | tee log", 1],
    ["exit 3 | cat", 3],
    ["(exit 4) | cat | cat", 4],
    ["yes | head -1 | false", 1],
    ["yes | head -1 && false", 1],
    ["false | cat && true", 1],
    ["(false | cat)", 1],
    ["sh -c 'kill -PIPE $$'", 141],
  ])("fails: %s", async (line, exitCode) => {
    expect(await judge(line)).toMatchObject({ status: "failed", evidence: { exitCode, command: line } });
  });

  it("runs every part once, in the folder of the gate", async () => {
    const { dir, status } = await judge("echo a >> seen | cat && echo b >> seen | cat");
    expect(status).toBe("passed");
    expect(fs.readFileSync(path.join(dir, "seen"), "utf8")).toBe("a\nb\n");
  });

  it("reports a missing program before the pipe", async () => {
    const { status, summary } = await judge("no-such-tool -q | tee log");
    expect(status).toBe("errored");
    expect(summary).toContain("no-such-tool: command not found");
  });

  it("falls back to /bin/sh when there is no bash", async () => {
    const bin = fs.mkdtempSync(path.join(folders().dir, "bin-"));
    for (const name of ["cat", "false"]) fs.symlinkSync(`/bin/${name}`, path.join(bin, name));
    expect(await judge("false | cat", { PATH: bin })).toMatchObject({ status: "passed" });
  });
});
