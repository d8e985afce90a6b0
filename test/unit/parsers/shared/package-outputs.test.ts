import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { relativePaths } from "#gates/relative-paths";
import { findPackageDiagnostics } from "#parsers/diagnostics/find-diagnostics";
import { recogniseStreams } from "#parsers/recognise";
import { packageOutputs } from "#parsers/shared/package-outputs";
import { plain } from "#text/plain-text";

const folder = new URL("../../../fixtures/packages/", import.meta.url);

/** Reads a stream as a gate does: plain text with paths relative to the workspace. */
function stream(name: string, which: "stdout" | "stderr"): string {
  const file = new URL(`${name}.${which}.txt`, folder);
  return existsSync(file) ? relativePaths(plain(readFileSync(file, "utf8")), "/project") : "";
}

const reportOf = (name: string) => recogniseStreams(stream(name, "stdout"), stream(name, "stderr"));
const facts = (name: string) =>
  (reportOf(name)?.failures ?? [])
    .map(({ id, location, expected, actual }) => [id, location, expected, actual])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));

/** Failures of three packages with vitest, jest and node:test; each has one passing and one failing test. */
const failing = (a: string, b: string, c: string) => [
  [`${a} > test/math.test.js > adds > carries`, "packages/a/test/math.test.js:5", "11", "10"],
  [`${b} > test/words.test.js > words > splits`, "packages/b/test/words.test.js:4", '"c",', '"b",'],
  [`${c} > last`, "packages/c/test/list.test.js:5", "3", "2"],
];

describe("the output of a monorepo", () => {
  test.each(["turbo", "npm-workspaces", "lerna", "lerna-stream", "nx", "nx-stream"])(
    "of %s names the failing tests of all packages",
    (name) => {
      expect(facts(name)).toEqual(failing("@p/a", "b", "c"));
      expect(reportOf(name)?.counts).toEqual({ total: 6, passed: 3, failed: 3, skipped: 0 });
    },
  );

  it("of pnpm -r names packages by folder", () => {
    expect(facts("pnpm-recursive")).toEqual(failing("packages/a", "packages/b", "packages/c"));
    expect(reportOf("pnpm-recursive")?.counts).toMatchObject({ total: 6, failed: 3 });
  });

  it("has no counts when turbo may leave out packages that pass", () => {
    expect(reportOf("turbo")?.uncounted?.why).toBe("turbo may leave out the output of packages that pass");
    for (const name of ["npm-workspaces", "pnpm-recursive", "lerna", "nx"])
      expect(reportOf(name)?.uncounted).toBeUndefined();
  });

  it("lists compile errors of one package and failing tests of another", () => {
    expect(facts("turbo-broken").map(([id, location]) => [id, location])).toEqual([
      ["@p/a > test/math.test.js > adds > carries", "packages/a/test/math.test.js:5"],
      [
        "b > src/index.ts: TS2322 Type 'number' is not assignable to type 'string'.",
        "packages/b/src/index.ts:2",
      ],
      [
        "c > src/index.ts: TS2307 Cannot find module './nowhere' or its corresponding type declarations.",
        "packages/c/src/index.ts:1",
      ],
    ]);
    expect(reportOf("turbo-broken")?.counts.extra).toBe(2);
  });

  it("has diagnostics of every package, with paths relative to the workspace", () => {
    const packages = packageOutputs(stream("turbo-build", "stdout"), stream("turbo-build", "stderr")) ?? [];
    expect(reportOf("turbo-build")).toBeUndefined();
    const { summary, failures } = findPackageDiagnostics(packages) ?? {};
    expect(summary).toBe("2 errors in 2 files (tsc)");
    expect(failures?.map(({ id, location }) => [id, location])).toEqual([
      [
        "packages/b/src/index.ts: TS2322 Type 'number' is not assignable to type 'string'.",
        "packages/b/src/index.ts:2",
      ],
      [
        "packages/c/src/index.ts: TS2307 Cannot find module './nowhere' or its corresponding type declarations.",
        "packages/c/src/index.ts:1",
      ],
    ]);
  });

  it("prefixes ids with the package when its folder is not printed", () => {
    const output = "b:build: cache miss, executing 1\nb:build: src/a.ts(2,3): error TS2322: Wrong.\n";
    expect(findPackageDiagnostics(packageOutputs(output, "") ?? [])?.failures).toMatchObject([
      { id: "b > src/a.ts: TS2322 Wrong.", location: "src/a.ts:2" },
    ]);
  });

  it("has a fixture for every row of the tables", () => {
    const names = new Set(readdirSync(folder).map((file) => file.replace(/\.std(?:out|err)\.txt$/, "")));
    expect([...names].sort()).toEqual(
      [
        ...["lerna", "lerna-stream", "npm-workspaces", "nx", "nx-stream", "pnpm-recursive"],
        ...["turbo", "turbo-broken", "turbo-build"],
      ].sort(),
    );
  });
});

describe("packages that pass", () => {
  it("are counted when npm runs workspaces and all pass", () => {
    const tap = "TAP version 13\nok 1 - one\n1..1\n";
    const heading = (name: string) => `\n> ${name}@1.0.0 test\n> node --test\n\n`;
    const stdout = `${heading("a")}${tap}${heading("b")}${tap}`;
    const counts = (command: string) =>
      recogniseStreams(stdout, "", packageOutputs(stdout, "", command))?.counts;
    expect(counts("npm test --workspaces")).toMatchObject({ total: 2, passed: 2 });
    expect(counts("npm test -ws --if-present")).toMatchObject({ total: 2, passed: 2 });
  });

  it("have their stderr assigned to the next failing package", () => {
    const stdout = "> a@1.0.0 test\n> jest\n\n> b@1.0.0 test\n> node check.js\n";
    const stderr = `PASS test/a.test.js\n\nTests:       2 passed, 2 total\nboom\nnpm error Lifecycle script \`test\` failed with error:\nnpm error workspace b@1.0.0\n`;
    const packages = packageOutputs(stdout, stderr, "npm test -ws") ?? [];
    expect(packages.find(({ name }) => name === "b")?.stderr).toContain("PASS test/a.test.js");
    expect(packages.find(({ name }) => name === "b")?.stderr).toContain("boom");
  });
});

describe("the output of one program", () => {
  test.each([
    ["a test that prints headings", "> a@1.0.0 test\n> jest\n\n> b@1.0.0 test\n> jest\n", "npm test"],
    ["words before colons", "error: a\nerror: b\nwarning: c\nTests: 1\n", "npm test"],
    ["the log of a server", "[web] listening\n[web] GET /\n", "npm test"],
    ["a make rule", "make: Entering directory 'a'\nmake: done\n", "make test"],
  ])("is not split: %s", (_, stdout, command) => {
    expect(packageOutputs(stdout, "", command)).toBeUndefined();
  });

  it("is not split when a test prints the log of a workspace runner", () => {
    const inner = stream("turbo", "stdout");
    const outer = `TAP version 13\n${inner}\nok 1 - runs turbo\n1..1\n`;
    expect(recogniseStreams(outer, "")).toMatchObject({
      format: "tap",
      counts: { total: 1, failed: 0 },
      failures: [],
    });
  });

  // Each would take hours in a parser that is not linear and hit the test timeout.
  const long = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
  test.each([
    ["prefixes", `a:test: cache miss, executing 1\n${long("a:test: x\n")}`],
    [
      "packages",
      Array.from({ length: 20_000 }, (_, at) => `p${at}:test: cache miss, executing 1`).join("\n"),
    ],
    ["headings", `> a@1.0.0 test\n> npm test -ws\n${long("\n> a@1.0.0 test\n> b\n")}`],
    ["failed workspaces", long("npm error workspace a@1\n\n")],
    ["brackets", long("[")],
    ["colons", long("a: ")],
  ])("survives a megabyte of %s", (_, text) => {
    expect(() => recogniseStreams(text, text, packageOutputs(text, text, "npm test -ws"))).not.toThrow();
  });
});
