import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { judge, statuses } from "./levels-support.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
const one = (test: object, files: Files = {}, more = {}) =>
  judge({ blackBox: [{ name: "case", ...test }] }, files, more);

describe("a case", () => {
  it("gets a text or a file on standard input, or nothing", async () => {
    const stdout = { contains: "a\nb" };
    expect((await one({ command: "cat", stdin: "a\nb", expect: { stdout } })).status).toBe("passed");
    const file = { command: "cat", stdin: { file: "in/x" }, expect: { stdout } };
    expect((await one(file, { "in/x": "a\nb" })).status).toBe("passed");
    expect((await one({ command: "cat" })).status).toBe("passed");
  });

  it("takes program and arguments as they are, in its folder, with its environment", async () => {
    const command = ["sh", "-c", 'printf "%s|" "$0" "$GREETING" "$(basename "$PWD")"', "$HOME *"];
    const test = {
      command,
      cwd: "inner",
      env: { GREETING: "hi" },
      expect: { stdout: { contains: "$HOME *|hi|inner|" } },
    };
    expect((await one(test, { "inner/x": "" })).failures).toEqual([]);
  });

  it("is fed nothing from outside of the workspace", async () => {
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

  it("gets the whole environment that the gate was given", async () => {
    const { PATH = "" } = process.env;
    const test = { command: 'echo "[$HOME$GIVEN]"', expect: { stdout: { contains: "[given]" } } };
    expect((await one(test, {}, { env: { PATH, GIVEN: "given" } })).status).toBe("passed");
  });

  it.each([
    ["a missing program", { command: "no-such-tool-anywhere" }, "command not found (exit 127)"],
    ["a timeout", { command: "echo half; sleep 1000", timeout: "200ms" }, "timed out after 0.2 s\nhalf"],
    ["a crash", { command: "kill -SEGV $$" }, "crashed"],
  ])("that breaks is errored, and its other checks are not run: %s", async (_, test, message) => {
    const verdict = await one({ ...test, expect: { stdout: { excludes: "x" } } });
    expect(verdict.status).toBe("errored");
    expect(verdict.failures[0]?.message).toContain(message);
    expect(statuses(verdict)).toEqual({
      "L2 case: exit code": "errored",
      'L2 case: stdout excludes "x"': "not-run",
    });
  });

  it("all cases are looked at, and each sees its own output only", async () => {
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

describe("what is expected", () => {
  it("every assertion is a check of its own, with expected and actual", async () => {
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

  it("an exit code that would otherwise be a crash", async () => {
    expect((await one({ command: "exit 130", expect: { exitCode: 130 } })).status).toBe("passed");
  });

  it("JSON, whatever the order of its keys", async () => {
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

  it("JSON that fits a schema, inline or in a file", async () => {
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

  it("a file that the command writes: equal to a text, equal to another file", async () => {
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

  it("a file that was there before proves nothing", async () => {
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

  it("more output than is read is errored: what is not seen is not absent", async () => {
    const command = "echo error; head -c 9000000 /dev/zero";
    const verdict = await one({ command, expect: { stdout: { excludes: "error" } } });
    expect(verdict.status).toBe("errored");
    expect(verdict.failures[0]?.message).toContain("stdout is longer than 8 MB");
  });
});
