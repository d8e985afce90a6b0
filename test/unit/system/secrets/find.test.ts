import path from "node:path";
import { describe, expect, it } from "vitest";
import { createSecrets, looksSecret } from "#system/secrets/secrets";
import { temporary, write } from "../../../support/folders.ts";

const VALUE = "Vq7xT2mK9pLw4Zs8";

describe("looksSecret", () => {
  it.each([
    "API_KEY",
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "clientSecret",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASSWD",
    "GPG_PASSPHRASE",
    "AWS_CREDENTIALS",
    "REGISTRY_AUTH",
    "npm_config_//registry.localhost/:_authToken",
    "DEPLOY_PRIVATE",
    "OPENAI_APIKEY",
  ])("is true for %s", (name) => {
    expect(looksSecret(name, VALUE)).toBe(true);
  });

  it.each([
    ["KEYBOARD", VALUE],
    ["GIT_AUTHOR_NAME", VALUE],
    ["TOKENIZERS_PARALLELISM", VALUE],
    ["MONKEY", VALUE],
    ["AUTH_TYPE", "oauth-personal"],
    ["TOKEN_URL", "https://login.localhost/token"],
    ["SSH_AUTH_SOCK", "/run/user/0/agent.gone"],
    ["TLS_KEY_FILE", "~/keys/tls.pem"],
    ["SIGNING_KEY", process.execPath],
    ["PWD", "/no/such/folder"],
    ["MAX_TOKEN", "1000000000"],
    ["USE_AUTH", "disabled"],
    ["API_KEY", "dummy"],
    ["API_KEY", "xxxxxxxxxxxx"],
    ["API_TOKEN", "API_TOKEN"],
    ["HOME", "/root/somewhere"],
  ])("is false for %s=%s", (name, value) => {
    expect(looksSecret(name, value)).toBe(false);
  });

  it("treats a number as a password when the name says so", () => {
    expect(looksSecret("DB_PASSWORD", "8374928374")).toBe(true);
  });

  it("ignores a relative path when the file exists", () => {
    const dir = temporary();
    write(dir, { "keys/deploy": "" });
    const value = path.relative(process.cwd(), path.join(dir, "keys/deploy"));
    expect(looksSecret("DEPLOY_KEY", value)).toBe(false);
    expect(looksSecret("DEPLOY_KEY", `${value}-gone`)).toBe(true);
  });

  it.each([
    ["sk-ant-api03-abcdefghijklmnop", "sk-ant-api03-abcdefghijklmnop"],
    [`ghp_${"a1".repeat(18)}`, `ghp_${"a1".repeat(18)}`],
    [`--token=github_pat_${"a1".repeat(20)} --x`, `github_pat_${"a1".repeat(20)}`],
    ["xoxb-123456789012-abcdef", "xoxb-123456789012-abcdef"],
    ["id=AKIAIOSFODNN7EXAMPLE;", "AKIAIOSFODNN7EXAMPLE"],
    [`AIza${"Sy".repeat(17)}`, `AIza${"Sy".repeat(17)}`],
    [`glpat-${"a1".repeat(10)}`, `glpat-${"a1".repeat(10)}`],
    [`npm_${"a1".repeat(18)}`, `npm_${"a1".repeat(18)}`],
    ["X-Api: Bearer abcdefgh12345678", "abcdefgh12345678"],
    ["postgres://user:p%40ssw0rd-x@host:5432/db", "p%40ssw0rd-x"],
    ["postgres://user:p%40ssw0rd-x@host:5432/db", "p@ssw0rd-x"],
    ["redis://:longpassword@host", "longpassword"],
  ])("finds a secret in %s, whatever the variable's name", (value, secret) => {
    const known = createSecrets({ SETTINGS: value });
    expect(known.mask(`(${secret})`)).toBe("(‹secret SETTINGS›)");
    expect(known.mask("user task-force-abcdefghijklmnop disk-usage-of-everything")).toBe(
      "user task-force-abcdefghijklmnop disk-usage-of-everything",
    );
  });

  it("masks each line of a private key, except its BEGIN and END lines", () => {
    const lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEF", "AASCBKcwggSjAgEAAoIBAQC7VJTU"];
    const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----"];
    for (const end of ["\n", "\r\n", "\\n"]) {
      const known = createSecrets({ SETTINGS: `${key.join(end)}${end}` });
      expect(known.mask(`  ${lines[0]}\n  ${lines[1]}`)).toBe("  ‹secret SETTINGS›\n  ‹secret SETTINGS›");
      expect(known.mask(`a${key.join("\n")}b`)).toBe("a‹secret SETTINGS›b");
      expect(known.mask("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
    }
  });

  it("masks the values of secret keys inside JSON", () => {
    const account = { type: "service_account", inner: { client_secret: VALUE }, project: "my-project-name" };
    const known = createSecrets({ GOOGLE_CREDENTIALS: JSON.stringify(account, null, 2) });
    expect(known.mask(`project my-project-name, ${VALUE}`)).toBe(
      "project my-project-name, ‹secret GOOGLE_CREDENTIALS›",
    );
  });
});

describe("variables named by the user", () => {
  it("are masked, whatever their value looks like", () => {
    const known = createSecrets({ PLACE: "/some/where/private", PLAIN: "nothing-special" });
    expect(known.mask("in /some/where/private")).toBe("in /some/where/private");
    expect(known.learn(["PLACE", "PLAIN"])).toEqual([]);
    expect(known.mask("in /some/where/private: nothing-special")).toBe("in ‹secret PLACE›: ‹secret PLAIN›");
  });

  it("give a warning when they cannot be masked", () => {
    const known = createSecrets({ SHORT: "1234567", COMMON: "localhost", EMPTY: "" });
    expect(known.learn(["GONE", "SHORT", "COMMON", "EMPTY"])).toEqual([
      "secrets: GONE is not set, so there is nothing to mask; set it, or remove its name",
      "secrets: SHORT is not masked, because its value is shorter than 8 characters",
      "secrets: COMMON is not masked, because its value is found in any text",
      "secrets: EMPTY is not set, so there is nothing to mask; set it, or remove its name",
    ]);
    expect(known.mask("1234567 localhost")).toBe("1234567 localhost");
  });
});

describe("redact", () => {
  const known = createSecrets({ API_TOKEN: VALUE });

  it("masks every text and keeps the shape of the data", () => {
    const data = { a: [`x${VALUE}`, 1, null, { b: VALUE }], c: true, d: undefined };
    expect(known.redact(data)).toEqual({
      a: ["x‹secret API_TOKEN›", 1, null, { b: "‹secret API_TOKEN›" }],
      c: true,
      d: undefined,
    });
  });

  it("returns the same object when there is nothing to mask", () => {
    const data = { a: ["x", { b: "nothing in here" }], c: { d: VALUE } };
    expect(known.redact(data).a).toBe(data.a);
    expect(known.redact(data.a)).toBe(data.a);
  });

  it("keeps an event with a masked text valid one-line JSON", () => {
    const line = JSON.stringify({ text: `a "${VALUE}" \\ b` });
    expect(JSON.parse(known.mask(line))).toEqual({ text: 'a "‹secret API_TOKEN›" \\ b' });
  });
});
