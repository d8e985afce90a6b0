import { describe, expect, it } from "vitest";
import { agentEnvironment, isNeverAllowed, isNeverForAgents } from "#system/environment";

const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
const passed = (names: readonly string[], patterns: readonly string[] = []) =>
  Object.keys(agentEnvironment(named(names), patterns));

describe("agentEnvironment", () => {
  it("keeps the usual variables, PATH, temporary folders, npm settings and the git identity", () => {
    const usual = ["HOME", "LANG", "LC_ALL", "HTTPS_PROXY", "CARGO_HOME"];
    const working = ["PATH", "TMPDIR", "XDG_CONFIG_HOME", "npm_config_registry", "GIT_AUTHOR_EMAIL"];
    expect(passed([...usual, ...working])).toEqual([...usual, ...working]);
  });

  it("drops variables that no pattern names", () => {
    expect(passed(["SOME_TOKEN", "DATABASE_URL", "SSH_AUTH_SOCK", "VITEST"])).toEqual([]);
  });

  it("keeps variables that match a name or a prefix pattern", () => {
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
  ])("never passes %s, whatever the patterns are", (name) => {
    expect(passed([name], [name, "*"])).toEqual([]);
    expect(isNeverForAgents(name)).toBe(true);
  });

  it("passes PATH, npm settings and the git identity, which a clean room blocks", () => {
    for (const name of ["PATH", "npm_config_registry", "GIT_COMMITTER_NAME"])
      expect([isNeverAllowed(name), isNeverForAgents(name)]).toEqual([true, false]);
  });
});
