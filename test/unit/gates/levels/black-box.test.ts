import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { judge, statuses } from "./levels-support.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
const one = (test: object, files: Files = {}, more = {}) =>
  judge({ blackBox: [{ name: "case", ...test }] }, files, more);

describe("a black-box case", () => {
  it("gets text, a file or nothing on standard input", async () => {
    const stdout = { contains: "a\nb" };
    expect((await one({ command: "cat", stdin: "a\nb", expect: { stdout } })).status).toBe("passed");
    const file = { command: "cat", stdin: { file: "in/x" }, expect: { stdout } };
    expect((await one(file, { "in/x": "a\nb" })).status).toBe("passed");
    expect((await one({ command: "cat" })).status).toBe("passed");
  });

  it("runs program and arguments without a shell, in its cwd, with its environment", async () => {
    const command = ["sh", "-c", 'printf "%s|" "$0" "$GREETING" "$(basename "$PWD")"', "$HOME *"];
    const test = {
      command,
      cwd: "inner",
      env: { GREETING: "hi" },
      expect: { stdout: { contains: "$HOME *|hi|inner|" } },
    };
    expect((await one(test, { "inner/x": "" })).failures).toEqual([]);
  });

  it("does not read standard input from outside of the workspace", async () => {
    const verdict = await one(
      { command: "cat", stdin: { file: "link" } },
      {},
      {
        prepare: (dir: string) => {
          fs.writeFileSync(path.join(dir, "..", "outside"), "secret");
          fs.symlinkSync("../outside", path.join(dir, "link"));
        },
      },
    );
    expect(verdict).toMatchObject({
      status: "errored",
      failures: [
        {
          id: "L2 case: exit code",
          message: "cannot read its input: there is no file link in the workspace",
        },
      ],
    });
  });

  it("gets the environment of the request", async () => {
    const { PATH = "" } = process.env;
    const test = { command: 'echo "[$HOME$GIVEN]"', expect: { stdout: { contains: "[given]" } } };
    expect((await one(test, {}, { env: { PATH, GIVEN: "given" } })).status).toBe("passed");
  });

  it.each([
    ["a missing program", { command: "no-such-tool-anywhere" }, "command not found (exit 127)"],
    ["a timeout", { command: "echo half; sleep 1000", timeout: "200ms" }, "timed out after 0.2 s\nhalf"],
    ["a crash", { command: "kill -SEGV $$" }, "crashed"],
  ])("is errored when it breaks, and its other checks do not run: %s", async (_, test, message) => {
    const verdict = await one({ ...test, expect: { stdout: { excludes: "x" } } });
    expect(verdict.status).toBe("errored");
    expect(verdict.failures[0]?.message).toContain(message);
    expect(statuses(verdict)).toEqual({
      "L2 case: exit code": "errored",
      'L2 case: stdout excludes "x"': "not-run",
    });
  });

  it("runs after a failed case and checks only its own output", async () => {
    const verdict = await judge({
      blackBox: [
        { name: "first", command: "echo one; false" },
        { name: "second", command: "echo two", expect: { stdout: { contains: "two", excludes: "one" } } },
      ],
    });
    expect(statuses(verdict)).toEqual({
      "L2 first: exit code": "failed",
      "L2 second: exit code": "passed",
      'L2 second: stdout contains "two"': "passed",
      'L2 second: stdout excludes "one"': "passed",
    });
    expect(verdict.score).toBe(3 / 4);
  });
});

describe("the expectations of a case", () => {
  it("are separate checks with expected and actual values", async () => {
    const verdict = await one({
      command: "echo 'hello world'; echo oops >&2; exit 2",
      expect: {
        exitCode: 3,
        stdout: { contains: ["hello", "moon"], excludes: ["world"], matches: ["^hello", "^world"] },
        stderr: { contains: "fine" },
      },
    });
    expect(verdict.failures).toEqual([
      {
        id: "L2 case: exit code",
        message: "exit code 2\nhello world\noops",
        expected: "3",
        actual: "2",
      },
      {
        id: 'L2 case: stdout contains "moon"',
        message: "stdout does not contain the text",
        expected: "moon",
        actual: "hello world",
      },
      {
        id: 'L2 case: stdout excludes "world"',
        message: "stdout contains the text",
        expected: 'no "world"',
        actual: "hello world",
      },
      {
        id: "L2 case: stdout matches ^world",
        message: "stdout does not match",
        expected: "a match of ^world",
        actual: "hello world",
      },
      {
        id: 'L2 case: stderr contains "fine"',
        message: "stderr does not contain the text",
        expected: "fine",
        actual: "oops",
      },
    ]);
    expect(verdict.score).toBe(2 / 7);
  });

  it("can include an exit code that otherwise means a crash", async () => {
    expect((await one({ command: "exit 130", expect: { exitCode: 130 } })).status).toBe("passed");
  });

  it("compare JSON independent of the key order", async () => {
    const json = { a: [1, { b: null, c: "x" }], d: true };
    const says = (text: string) => one({ command: ["printf", "%s", text], expect: { stdout: { json } } });
    expect((await says('{"d":true,"a":[1.0,{"c":"x","b":null}]}')).status).toBe("passed");
    expect((await says('{"d":true,"a":[{"c":"x","b":null},1]}')).failures).toMatchObject([
      {
        id: "L2 case: stdout is the expected JSON",
        message: "stdout is different JSON",
        expected: JSON.stringify(json, null, 1),
      },
    ]);
    expect((await says("{} {}")).failures[0]).toMatchObject({ expected: "JSON", actual: "{} {}" });
    const nothing = { command: "echo null", expect: { stdout: { json: null } } };
    expect((await one(nothing)).status).toBe("passed");
  });

  it("validate JSON against a schema, inline or in a file", async () => {
    const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
    const says = (text: string, by: unknown) =>
      one(
        { command: ["printf", "%s", text], expect: { stdout: { schema: by } } },
        { "s.json": JSON.stringify(schema) },
      );
    expect((await says('{"id":1}', schema)).status).toBe("passed");
    expect((await says('{"id":1}', "s.json")).status).toBe("passed");
    expect((await says('{"id":"1"}', "s.json")).failures).toMatchObject([
      { id: "L2 case: stdout fits the schema", message: expect.stringContaining("/id: ") },
    ]);
  });

  it("compare a written file with text or with another file", async () => {
    const files = [
      { path: "out.txt", equals: "made\n" },
      { path: "copy.bin", equals: { file: "fixtures/bin" } },
    ];
    const given = { "fixtures/bin": new Uint8Array([0, 255, 254]) };
    const command = "echo made > out.txt; cp fixtures/bin copy.bin";
    expect((await one({ command, expect: { files } }, given)).status).toBe("passed");
    const other = await one({ command: "echo other | tee out.txt > copy.bin", expect: { files } }, given);
    expect(other.failures).toMatchObject([
      { id: "L2 case: file out.txt", location: "out.txt", expected: "made", actual: "other" },
      { id: "L2 case: file copy.bin", message: "copy.bin is not equal to fixtures/bin" },
    ]);
  });

  it("fail for a file that existed before and was not written", async () => {
    const files = [{ path: "out.txt", equals: "made\n" }];
    expect((await one({ command: "true", expect: { files } }, { "out.txt": "made\n" })).failures).toEqual([
      {
        id: "L2 case: file out.txt",
        message: "the command did not write out.txt",
        location: "out.txt",
        expected: "a file",
        actual: "none",
      },
    ]);
  });

  it("are errored when the output exceeds the limit", async () => {
    const command = "echo error; head -c 9000000 /dev/zero";
    const verdict = await one({ command, expect: { stdout: { excludes: "error" } } });
    expect(verdict.status).toBe("errored");
    expect(verdict.failures[0]?.message).toContain("stdout is longer than 8 MB");
  });
});
