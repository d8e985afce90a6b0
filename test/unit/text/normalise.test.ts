import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { normalise } from "#text/normalise";
import { anyCharacter } from "../../support/any-character.ts";

describe("normalise replaces values that differ between runs", () => {
  test.each([
    ["at 2024-01-31T12:03:22.123Z", "at <time>"],
    ["2024-01-31 12:03:22,5 +01:00 done", "<time> done"],
    ["2024-01-31 12:03 done", "<time> done"],
    ["20240131T120000Z", "<time>"],
    ["[31/Jan/2024:12:00:00 +0000] GET", "[<time>] GET"],
    ["Wed, 31 Jan 2024 12:00:00 GMT", "<time>"],
    ["Wed Jan 31 2024 12:00:00 GMT+0100 (CET)", "<time> (CET)"],
    ["Jan 31 12:00:00 host", "<time> host"],
    ["[12:03:22] start", "[<time>] start"],
    ["at 1:03:22 PM", "at <time>"],
    ["saved-1794788541758.json", "saved-<time>.json"],
    ["done in 12.3ms", "done in <duration>"],
    ["done (0.45s)", "done (<duration>)"],
    ["done (99ms)", "done (<duration>)"],
    ["took 1534 ms", "took <duration>"],
    ["1m 20.5s", "<duration>"],
    ["object at 0x7f3c2a1b", "object at <address>"],
    ["com.Foo@6d06d69c", "com.Foo<address>"],
    ["/tmp/converge-aB3/ws/src/a.ts:3", "<temp>/ws/src/a.ts:3"],
    ["file:///tmp/x1/a.ts", "<temp>/a.ts"],
    ["/var/folders/zz/zyx_n0000/T/foo-1/a.ts", "<temp>/a.ts"],
    ["/private/var/folders/zz/zyx_n0000/T/foo-1/a.ts", "<temp>/a.ts"],
    ["/tmp/pytest-of-root/pytest-12/test_a0", "<temp>/test_a0"],
    ["C:\\Users\\me\\AppData\\Local\\Temp\\foo\\a.ts", "<temp>\\a.ts"],
    ["/home/me/.local/state/converge/rooms/abc-1/a.ts", "/home/me/.local/state/converge/rooms/<temp>/a.ts"],
    ["pid 1234", "pid <pid>"],
    ["http://127.0.0.1:43211/x", "http://127.0.0.1:<port>/x"],
    ["localhost:54321", "localhost:<port>"],
    ["[::1]:54321", "[::1]:<port>"],
    ["listening on port 43211", "listening on port <port>"],
    ["550e8400-e29b-41d4-a716-446655440000", "<uuid>"],
    ["commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit <id>"],
    ["tmp_5f3a9c0b12de4", "tmp_<id>"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["a [31mred[0m b", "a  red  b"],
  ])("turns %j into %j", (text, expected) => {
    expect(normalise(text)).toBe(expected);
  });
});

describe("normalise keeps meaningful values", () => {
  test.each([
    "adds 1 and 2",
    "waits 5s, then 100ms",
    "keeps 2024-01-31",
    "fails at src/a.ts:12:30",
    "src/a.ts:12:30:45",
    "0xFF and 0x1F4",
    "user@decade.com, deadbeefdeadbeef, 123456789012",
    "version 1.2.3 s",
    "localhost:3000 and 127.0.0.1:8080",
    "/data/tmp/x and src/tmp/y",
    "rapid 1234",
    "cache [5m]",
    "12:30",
    "<time> was here",
  ])("%j", (text) => {
    expect(normalise(text)).toBe(text);
  });
});

describe("normalise for any text", () => {
  const volatile = fc.constantFrom(
    ...[
      "2024-01-31T12:03:22Z",
      "12:03:22",
      "Jan 31 12:00:00",
      "1794788541758",
      "12.3ms",
      "(99ms)",
      "took 5 s",
    ],
    ...["0x7f3c2a1b", "@6d06d69c", "/tmp/a-b/c", "file:///tmp/x", "pid=12", "port 12345", "localhost:54321"],
    ...[
      "550e8400-e29b-41d4-a716-446655440000",
      "9fceb02d0ae598e95dc9",
      "[31m",
      "\u001b[1m",
      "<time>",
      "pytest-of-a/",
    ],
  );
  const glue = fc.constantFrom(
    "",
    " ",
    "-",
    "_",
    ":",
    ".",
    "/",
    "(",
    ")",
    "[",
    "m",
    "a",
    "0",
    "<",
    ">",
    "\n",
    "T",
    "pid ",
  );
  const any = fc
    .array(fc.oneof(volatile, glue, fc.string({ unit: anyCharacter, maxLength: 8 })), { maxLength: 12 })
    .map((parts) => parts.join(""));

  it("is idempotent", () => {
    fc.assert(
      fc.property(any, (text) => {
        expect(normalise(normalise(text))).toBe(normalise(text));
      }),
      { numRuns: 5_000 },
    );
  });

  // Each would take hours in a function that is not linear; the test runner's timeout decides.
  const long = (text: string) => text.repeat(Math.ceil(500_000 / text.length));
  test.each([
    "a",
    "0",
    "1",
    "0x0",
    "f0",
    "12:",
    "2024-01-31 ",
    "/tmp/",
    "/tmp/a",
    "C:\\a\\",
    "[1;",
    "1.1",
    "@",
    "pid ",
    "Jan 31 ",
    "(1 ",
    "file://",
  ])("takes linear time for half a megabyte of %j", (part) => {
    expect(normalise(long(part)).length).toBeGreaterThan(0);
  });
});
