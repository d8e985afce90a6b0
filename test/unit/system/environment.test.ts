import { describe, expect, it } from "vitest";
import { agentEnvironment, isNeverAllowed, isNeverForAgents } from "#system/environment";

const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
const passed = (names: readonly string[], patterns: readonly string[] = []) =>
  Object.keys(agentEnvironment(named(names), patterns));

describe("an agent's environment", () => {
  it("has the usual variables, the search path, temporary files, npm's settings and who commits", () => {
    const usual = ["HOME", "LANG", "LC_ALL", "HTTPS_PROXY", "CARGO_HOME"];
    const working = ["PATH", "TMPDIR", "XDG_CONFIG_HOME", "npm_config_registry", "GIT_AUTHOR_EMAIL"];
    expect(passed([...usual, ...working])).toEqual([...usual, ...working]);
  });

  it("has nothing that nobody named", () => {
    expect(passed(["SOME_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK", "VITEST"])).toEqual([]);
  });

  it("has what a name or the beginning of one lets through", () => {
    const given = ["OPENAI_API_KEY", "OPENAI", "GH_TOKEN", "GH_TOKEN_OLD"];
    expect(passed(given, ["OPENAI_*", "GH_TOKEN"])).toEqual(["OPENAI_API_KEY", "GH_TOKEN"]);
  });

  it.each([
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "BASH_ENV",
    "GIT_DIR",
    "GIT_SSH_COMMAND",
    "CONVERGE_HOME",
    "CONVERGE_RUN",
  ])("never has %s, whatever is named", (name) => {
    expect(passed([name], [name, "*"])).toEqual([]);
    expect(isNeverForAgents(name)).toBe(true);
  });

  it("may have what a gate in a clean room may not: the search path as it is, npm's settings, an identity", () => {
    for (const name of ["PATH", "npm_config_registry", "GIT_COMMITTER_NAME"])
      expect([isNeverAllowed(name), isNeverForAgents(name)]).toEqual([true, false]);
  });
});
