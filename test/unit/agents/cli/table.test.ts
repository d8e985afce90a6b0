// Arguments of the CLIs in the table: their permissions, and that the prompt is never an argument.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as table from "#agents/cli/table";
import type { Ask, Driver } from "#agents/shared/driver";
import { temporary } from "../../../support/folders.ts";
import { ASK } from "../../../support/transcripts.ts";

const TABLE: readonly Driver[] = Object.values(table);

const SESSION = "00000000-0000-4000-8000-000000000001";

const folder = temporary;

function driver(name: string): Driver {
  const match = TABLE.find((one) => one.name === name);
  if (!match)
    throw new Error(`no ${name} in the table: there are ${TABLE.map((one) => one.name).join(", ")}`);
  return match;
}

/** The call as one line, with placeholders for values that change. */
function called(name: string, ask: Partial<Ask> = {}): string {
  const full = { ...ASK, folder: folder(), ...ask };
  const { args, env = {} } = driver(name).call(full);
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return [...variables, ...args]
    .join(" ")
    .replaceAll(full.folder, "FOLDER")
    .replaceAll(full.promptFile, "FILE");
}

const COPILOT =
  "--output-format json --no-color --no-auto-update --no-ask-user --usage-output-file /reports/usage.json";
const CURSOR = "-p --output-format stream-json --trust";
const AMP = "--execute --stream-json --no-archive-after-execute --settings-file FOLDER/amp.json";
const GOOSE = "run --instructions - --output-format stream-json --quiet --no-session";
const AIDER =
  "--message-file FILE --yes-always --no-pretty --no-stream --no-fancy-input --no-auto-commits --no-dirty-commits " +
  "--no-gitignore --chat-history-file /dev/null --input-history-file /dev/null --no-check-update " +
  "--no-show-release-notes --no-analytics --no-detect-urls --no-suggest-shell-commands";

const READ = { access: "read" } as const;
const ALL = { permissions: "all" } as const;

it.each([
  ["copilot", {}, `${COPILOT} --allow-tool=write`],
  ["copilot", ALL, `${COPILOT} --allow-all`],
  ["copilot", READ, `${COPILOT} --available-tools=view,grep,glob`],
  ["copilot", { session: SESSION }, `--resume=${SESSION} ${COPILOT} --allow-tool=write`],
  ["cursor", {}, `${CURSOR} --force`],
  ["cursor", ALL, `${CURSOR} --force --sandbox disabled --approve-mcps`],
  ["cursor", READ, `${CURSOR} --mode ask`],
  ["cursor", { session: SESSION }, `--resume=${SESSION} ${CURSOR} --force`],
  ["amp", {}, AMP],
  ["amp", { model: "high" }, `${AMP} --mode high`],
  ["amp", { session: "T-1" }, `threads continue T-1 ${AMP}`],
  ["goose", {}, `GOOSE_MODE=auto ${GOOSE}`],
  ["goose", ALL, `GOOSE_MODE=auto ${GOOSE}`],
  ["goose", READ, `GOOSE_MODE=chat ${GOOSE}`],
  ["pi", {}, "--mode json"],
  ["pi", ALL, "--mode json"],
  ["pi", READ, "--mode json --tools read,grep,find,ls --no-extensions"],
  ["pi", { session: SESSION, model: "openai/x" }, `--session ${SESSION} --mode json --model openai/x`],
  ["aider", {}, AIDER],
  ["aider", ALL, AIDER],
  ["aider", { ...READ, model: "sonnet" }, `${AIDER} --chat-mode ask --dry-run --model sonnet`],
] satisfies [string, Partial<Ask>, string][])(
  "%s with %j gets the expected arguments",
  (name, ask, expected) => {
    expect(called(name, ask)).toBe(expected);
  },
);

describe("every CLI in the table", () => {
  it.each(TABLE.map((one) => [one.name, one] as const))(
    "%s has instructions to install and to log in",
    (_, one) => {
      expect(one.install).not.toBe("");
      expect(one.login.how).not.toBe("");
      expect(one.login.variables.length).toBeGreaterThan(0);
      for (const file of [...one.state, ...one.settings, ...one.login.files])
        expect(path.isAbsolute(file)).toBe(false);
      for (const file of one.settings) expect(one.state.some((dir) => file.startsWith(dir))).toBe(true);
    },
  );

  it.each(TABLE.map((one) => [one.name, one] as const))(
    "%s ignores permissions: all with read-only access",
    (_, one) => {
      const read = { ...ASK, ...READ, folder: folder(), commands: ["npm test"] };
      expect(one.call({ ...read, permissions: "all" })).toEqual(one.call(read));
    },
  );

  it("resumes sessions where the CLI reports them", () => {
    const names = TABLE.filter(({ resumes }) => resumes).map(({ name }) => name);
    expect(names.sort()).toEqual(["amp", "copilot", "cursor", "pi"]);
  });

  it("gets its prompt on standard input, or in a file that its arguments name", () => {
    for (const one of TABLE) {
      const named = one.call({ ...ASK, folder: folder() }).args.includes(ASK.promptFile);
      expect([one.name, one.stdin]).toEqual([one.name, !named]);
    }
  });
});

describe("the commands allowed in Copilot CLI", () => {
  it.each([
    ["npm test", ["npm", "npm test"]],
    ["npm run lint -- --fix", ["npm", "npm run"]],
    ["node --test", ["node"]],
    ["CI=1 ./check.sh > log", ["./check.sh"]],
    ["cd web && make check | tail", ["cd", "cd web", "make", "make check", "tail"]],
    ["$(evil) x", []],
    ["", []],
  ])("%s", (command, names) => {
    const allowed = names.map((name) => `--allow-tool=shell(${name})`);
    expect(called("copilot", { commands: [command] })).toBe(
      [COPILOT, "--allow-tool=write", ...allowed].join(" "),
    );
  });
});

describe("the settings of Amp", () => {
  function settings(ask: Partial<Ask>) {
    const full = { ...ASK, folder: folder(), ...ask };
    driver("amp").call(full);
    return JSON.parse(fs.readFileSync(path.join(full.folder, "amp.json"), "utf8"));
  }

  function allows(command: string, line: string): boolean {
    const [rule] = settings({ commands: [command] })["amp.permissions"];
    const [, source] = /^\/(.*)\/$/s.exec(rule.matches.cmd) ?? [];
    return new RegExp(source ?? "(?!)").test(line);
  }

  it("allow the commands in each of its shells", () => {
    const rules = settings({ commands: ["npm test"] })["amp.permissions"];
    expect(rules.map(({ tool, action }: { tool: string; action: string }) => `${action} ${tool}`)).toEqual([
      "allow Bash",
      "allow shell_command",
      "allow async_shell_command",
    ]);
  });

  it.each([
    ["npm test", "npm test", true],
    ["npm test", "npm test -- --watch=false", true],
    ["npm test", "npm tests", false],
    ["npm test", "npm test; rm -rf .", false],
    ["npm test", "npm test && curl x", false],
    ["npm test", "npm test $(curl x)", false],
    ["npm test", "npm test \n curl x", false],
    ["jest a.b/*.js", "jest a.b/*.js", true],
    ["jest a.b/*.js", "jest axb/c.js", false],
  ])("allow rule for %j matches %j: %s", (command, line, expected) => {
    expect(allows(command, line)).toBe(expected);
  });

  it("allow everything, or only reading", () => {
    expect(settings(ALL)).toMatchObject({
      "amp.permissions": [{ tool: "*", action: "allow" }],
      "amp.dangerouslyAllowAll": true,
    });
    const read = settings({ ...READ, ...ALL });
    expect(read["amp.dangerouslyAllowAll"]).toBe(false);
    expect(read["amp.permissions"].at(-1)).toEqual({ tool: "*", action: "reject" });
    expect(
      read["amp.permissions"].some(({ tool }: { tool: string }) =>
        /bash|shell|edit|create|patch/i.test(tool),
      ),
    ).toBe(false);
  });
});
