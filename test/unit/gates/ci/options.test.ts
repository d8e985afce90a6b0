import { describe, expect, it } from "vitest";
import { ciOptions } from "#gates/ci/options";
import { check } from "#options/issues";

const complaints = (options: object) => {
  const checked = check(ciOptions, options);
  return checked.ok ? [] : checked.findings.map(({ message }) => message);
};

describe("the options of the ci gate", () => {
  it("are all optional, and are converted for the gate", () => {
    expect(check(ciOptions, {})).toEqual({ ok: true, data: {} });
    expect(
      check(ciOptions, {
        repository: "acme/app",
        workflows: "ci.yml",
        branch: "topic/one",
        commit: "ABCDEF0123".repeat(4),
        baseUrl: "https://ghe.example.com/api/v3",
        tokenEnv: "OWN_TOKEN",
        timeout: "1h",
        poll: "5s",
        noRuns: "1m",
        requireCommitted: false,
      }),
    ).toEqual({
      ok: true,
      data: {
        repository: "acme/app",
        workflows: ["ci.yml"],
        branch: "topic/one",
        commit: "abcdef0123".repeat(4),
        baseUrl: "https://ghe.example.com/api/v3",
        tokenEnv: "OWN_TOKEN",
        timeoutMs: 3_600_000,
        poll: { firstMs: 5_000, maxMs: 60_000 },
        noRunsMs: 60_000,
        requireCommitted: false,
      },
    });
  });

  it("set the first and the longest poll interval", () => {
    expect(check(ciOptions, { poll: "2m" })).toMatchObject({ data: { poll: { maxMs: 120_000 } } });
    expect(check(ciOptions, { poll: { first: "1s", max: "3s" } })).toMatchObject({
      data: { poll: { firstMs: 1_000, maxMs: 3_000 } },
    });
    expect(complaints({ poll: { first: "3s", max: "1s" } })).toEqual([
      "poll.max: expected max to be at least as long as first",
    ]);
  });

  it.each(["app", "acme/app/x", "../app", "acme/..", "acme/app?x", "https://github.com/acme/app"])(
    "reject an invalid repository: %s",
    (repository) => {
      expect(complaints({ repository })).toContain("repository: expected owner/name");
    },
  );

  it.each([
    "http://github.example.com",
    "ftp://localhost",
    "http://127.0.0.1.example.com",
    "https://user:password@github.example.com",
    "https://github.example.com/?a=b",
    "github.example.com",
  ])("reject a base URL that would expose the token: %s", (baseUrl) => {
    expect(complaints({ baseUrl })[0]).toMatch(/^baseUrl: expected an https address/);
  });

  it.each(["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:3000/api/v3"])(
    "allow http on localhost: %s",
    (baseUrl) => {
      expect(complaints({ baseUrl })).toEqual([]);
    },
  );

  it.each(["ghp_0123456789abcdef", "github_pat_11AAAA", "two words", "$GITHUB_TOKEN"])(
    "reject a token as tokenEnv without repeating it: %s",
    (tokenEnv) => {
      const [complaint = "", ...others] = complaints({ tokenEnv });
      expect(complaint).toMatch(/^tokenEnv: expected the name of an environment variable/);
      expect(others).toEqual([]);
      expect(complaint).not.toContain(tokenEnv);
    },
  );

  it.each([
    [{ token: "x" }, /^unknown key "token"/],
    [{ branch: "-x" }, /^branch: expected the name of a branch/],
    [{ branch: "a..b^{}" }, /^branch: expected the name of a branch/],
    [{ commit: "abc" }, /^commit: expected the full id of a commit/],
    [{ workflows: [] }, /^workflows: expected at least one workflow/],
    [{ timeout: "1m", noRuns: "2m" }, /^noRuns: expected noRuns to be at most timeout/],
  ])("reject invalid options: %j", (options, complaint) => {
    expect(complaints(options)[0]).toMatch(complaint);
  });
});
