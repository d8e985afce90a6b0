import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { judge, statuses } from "./levels-support.ts";

const failuresOf = async (contracts: object, files = {}, more = {}) =>
  (await judge({ contracts }, files, more)).failures;

describe("required files", () => {
  it("pass when all files, folders and globs exist", async () => {
    const required = ["README.md", "src/", "src/**/*.ts", ".github/*"];
    const files = { "README.md": "", "src/deep/a.ts": "", ".github/x": "" };
    expect((await judge({ contracts: { required } }, files)).status).toBe("passed");
  });

  it("fail separately for each missing entry", async () => {
    const required = ["README.md", "docs/", "src/**/*.ts", "a"];
    expect(await failuresOf({ required }, { "docs/x": "", "a/b": "" })).toEqual([
      {
        id: "L0 required: README.md",
        message: "expected a file",
        location: "README.md",
        expected: "file",
        actual: "nothing",
      },
      {
        id: "L0 required: src/**/*.ts",
        message: "no file matches src/**/*.ts",
        location: "src/**/*.ts",
      },
      { id: "L0 required: a", message: "expected a file", location: "a", expected: "file", actual: "folder" },
    ]);
  });

  it("do not count symlinks out of the workspace or files in node_modules", async () => {
    const contracts = { required: ["out.txt", "out-*.md", "in.txt", "**/index.js"] };
    const verdict = await judge(
      { contracts },
      { "real.txt": "", "node_modules/x/index.js": "" },
      {
        prepare: (dir: string) => {
          fs.writeFileSync(path.join(dir, "..", "secret"), "");
          fs.symlinkSync("../secret", path.join(dir, "out.txt"));
          fs.symlinkSync("../secret", path.join(dir, "out-1.md"));
          fs.symlinkSync("real.txt", path.join(dir, "in.txt"));
        },
      },
    );
    expect(statuses(verdict)).toEqual({
      "L0 required: out.txt": "failed",
      "L0 required: out-*.md": "failed",
      "L0 required: in.txt": "passed",
      "L0 required: **/index.js": "failed",
    });
  });
});

describe("forbidden patterns", () => {
  it("give one failure per file with its first location", async () => {
    const forbidden = [{ pattern: "\\bTODO\\b", files: "src/**", except: ["src/old/**"] }];
    const files = {
      "src/a.ts": "one\n// TODO later\r\n// TODO again\n",
      "src/b.ts": "x TODO\n",
      "src/old/c.ts": "TODO\n",
      "other.ts": "TODO\n",
      "src/fine.ts": "TODOS\n",
    };
    expect(await failuresOf({ forbidden }, files)).toEqual([
      {
        id: "L0 forbidden: \\bTODO\\b in src/a.ts",
        message: "src/a.ts matches a forbidden pattern, on 2 lines",
        location: "src/a.ts:2",
        expected: "no match of \\bTODO\\b",
        actual: "// TODO later",
      },
      {
        id: "L0 forbidden: \\bTODO\\b in src/b.ts",
        message: "src/b.ts matches a forbidden pattern",
        location: "src/b.ts:1",
        expected: "no match of \\bTODO\\b",
        actual: "x TODO",
      },
    ]);
  });

  it("use the given name and search all files by default", async () => {
    const forbidden = [{ name: "no secrets", pattern: "^KEY=" }];
    const [failure] = await failuresOf({ forbidden }, { ".env": `${"x".repeat(9_000)}\nKEY=1\n` });
    expect(failure).toMatchObject({ id: "L0 forbidden: no secrets in .env", location: ".env:2" });
  });

  it("match at the end of a very long line and after a NUL byte", async () => {
    const files = { "a.js": `${"x".repeat(300_000)} eval(1)`, "b.js": "\0\neval(1)" };
    const found = await failuresOf({ forbidden: [{ pattern: "eval\\(" }] }, files);
    expect(found.map(({ location }) => location)).toEqual(["a.js:1", "b.js:2"]);
  });

  it("are errored when a file is too large to search", async () => {
    const contracts = { forbidden: [{ pattern: "eval\\(" }] };
    const verdict = await judge({ contracts }, { "big.bin": new Uint8Array(17 * 1024 * 1024) });
    expect(verdict).toMatchObject({ status: "errored", score: 0 });
    expect(verdict.failures[0]?.message).toBe("could not be checked: big.bin is larger than 16 MB");
  });

  it("time out on catastrophic backtracking instead of hanging the run", async () => {
    const pattern = "^(?!.*foo)(?:.*.*.*.*.*.*)!$";
    const verdict = await judge({ contracts: { forbidden: [{ pattern }] } }, { "a.txt": "a".repeat(3_000) });
    expect(verdict.status).toBe("errored");
    expect(verdict.failures[0]?.message).toBe("could not be checked: a.txt: took longer than 2 s");
  }, 30_000);

  it("skip FIFOs and symlinks out of the workspace", async () => {
    const verdict = await judge(
      { contracts: { forbidden: [{ pattern: "secret" }] } },
      {},
      {
        prepare: (dir: string) => {
          fs.writeFileSync(path.join(dir, "..", "outside"), "secret");
          fs.symlinkSync("../outside", path.join(dir, "link"));
          fs.symlinkSync("..", path.join(dir, "up"));
          execFileSync("mkfifo", [path.join(dir, "pipe")]);
        },
      },
    );
    expect(verdict.status).toBe("passed");
  });
});

describe("schemas", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", pattern: "^[a-z]+$" },
      ports: { type: "array", items: { type: "integer" } },
    },
  };

  it("report the location of invalid values in JSON and YAML", async () => {
    const schemas = [{ files: ["a.json", "b.yaml"], schema }];
    const files = {
      "a.json": '{\n  "name": "Upper",\n  "ports": [\n    80,\n    "81"\n  ]\n}\n',
      "b.yaml": "# comment\nports: []\n",
    };
    expect(await failuresOf({ schemas }, files)).toEqual([
      {
        id: "L0 schema: a.json, b.yaml in a.json",
        message: "/name: String does not match pattern.",
        location: "a.json:2",
      },
      {
        id: "L0 schema: a.json, b.yaml in a.json",
        message: '/ports/1: Instance type "string" is invalid. Expected "integer".',
        location: "a.json:5",
      },
      {
        id: "L0 schema: a.json, b.yaml in b.yaml",
        message: 'the document: Instance does not have required property "name".',
        location: "b.yaml:2",
      },
    ]);
  });

  it("can be read from a file and apply to a glob", async () => {
    const schemas = [{ files: "conf/*.yml", schema: "schemas/conf.json" }];
    const files = {
      "schemas/conf.json": JSON.stringify(schema),
      "conf/a.yml": "name: a\n",
      "conf/b.yml": "name: b\n",
    };
    expect((await judge({ contracts: { schemas } }, files)).status).toBe("passed");
  });

  it.each([
    ["a missing file", "a.json", {}, "there is no file a.json in the workspace"],
    ["a glob that matches nothing", "*.json", {}, "no file matches, so there is nothing to validate"],
    ["invalid JSON", "a.json", { "a.json": "{" }, "a.json is not JSON: "],
    ["invalid YAML", "a.yml", { "a.yml": "a: [" }, "a.yml is not YAML: "],
  ])("fail on %s", async (_, name, files, message) => {
    const verdict = await judge({ contracts: { schemas: [{ files: name, schema: true }] } }, files);
    expect(verdict.status).toBe("failed");
    expect(verdict.failures[0]?.message).toContain(message);
  });

  it("are errored when they cannot be read", async () => {
    const schemas = [{ files: "a.json", schema: "missing.json" }];
    const verdict = await judge({ contracts: { schemas } }, { "a.json": "1" });
    expect(verdict).toMatchObject({
      status: "errored",
      failures: [
        {
          id: "L0 schema: a.json",
          message: "could not be checked: there is no file missing.json in the workspace",
        },
      ],
    });
  });
});

describe("name patterns", () => {
  it("fail for base names that do not match", async () => {
    const names = [{ files: "src/**", pattern: "^[a-z-]+\\.ts$" }];
    expect(await failuresOf({ names }, { "src/good-one.ts": "", "src/Bad.ts": "", "Other.ts": "" })).toEqual([
      {
        id: "L0 names: src/** in src/Bad.ts",
        message: "the name of src/Bad.ts does not match the pattern",
        location: "src/Bad.ts",
        expected: "a name that matches ^[a-z-]+\\.ts$",
        actual: "Bad.ts",
      },
    ]);
  });
});
