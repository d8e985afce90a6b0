import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanPath, scrubEnvironment } from "#gates/clean-room/room-environment";
import { isNeverAllowed } from "#system/environment";
import { temporary } from "../../../support/folders.ts";

describe("the PATH of a clean room", () => {
  it("has only absolute folders outside of the workspaces", () => {
    const given = "/usr/bin::.:bin:/project:/project/node_modules/.bin:/projects/bin:/bin";
    expect(cleanPath(given, ["/project"])).toBe("/usr/bin:/projects/bin:/bin");
    expect(cleanPath("/usr/bin/../../project/bin:/bin", ["/project"])).toBe("/bin");
  });

  it("has no folder that is a symlink into the workspace", () => {
    const root = temporary();
    fs.mkdirSync(path.join(root, "workspace/bin"), { recursive: true });
    fs.symlinkSync(path.join(root, "workspace/bin"), path.join(root, "bin"));
    expect(cleanPath(`${root}/bin:/bin`, [path.join(root, "workspace")])).toBe("/bin");
  });
});

describe("the environment of a clean room", () => {
  const scrub = (env: Record<string, string>, names: string[] = []) =>
    scrubEnvironment(env, { workspaces: ["/project"], names, tmp: "/tmp/own" });

  it("has only the variables on the allowlist", () => {
    expect(scrub({ HOME: "/h", LC_ALL: "C", SECRET: "1", PATH: "/bin", TMPDIR: "/tmp", CI: "0" })).toEqual({
      ...{ HOME: "/h", LC_ALL: "C", PATH: "/bin", TMPDIR: "/tmp/own", CI: "1" },
    });
  });

  it("has the variables that the task names, except those that change how tools work", () => {
    const env = { SECRET: "1", NODE_OPTIONS: "x", npm_config_cache: "x", GIT_DIR: "x", LD_PRELOAD: "x" };
    expect(scrub(env, Object.keys(env))).toEqual({ SECRET: "1", PATH: "", TMPDIR: "/tmp/own", CI: "1" });
    expect(["ENV", "BASH_ENV", "NPM_CONFIG_REGISTRY", "CONVERGE_HOME"].every(isNeverAllowed)).toBe(true);
    expect(["ENVIRONMENT", "NODE_ENV", "GITHUB_TOKEN"].some(isNeverAllowed)).toBe(false);
  });
});
