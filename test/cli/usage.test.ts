import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/sandbox.ts";

const COMMANDS = [
  "run",
  "resume",
  "validate",
  "ls",
  "show",
  "watch",
  "logs",
  "diff",
  "restore",
  "deliver",
  "stop",
  "pause",
  "steer",
  "decide",
  "approve",
  "reject",
  "submit",
  "worker",
  "workers",
  "limits",
];

describe("help and version", () => {
  it("--version prints the version", async () => {
    const { version } = JSON.parse(fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const flag of ["--version", "-V"])
      expect(await sandbox().converge(flag)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("--help lists every command and the exit codes", async () => {
    const { code, stdout } = await sandbox().converge("--help");
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b.* \\w+`, "m"));
    expect(stdout).toMatch(/Exit codes: 0 converged, 1 diverged, 2 usage/);
  });

  it("every command describes itself and its arguments", async () => {
    const box = sandbox();
    const answers = await Promise.all(COMMANDS.map((command) => box.converge(command, "--help")));
    for (const [index, { code, stdout, stderr }] of answers.entries()) {
      expect(code, COMMANDS[index]).toBe(0);
      expect(stderr).toBe("");
      const [usage, blank, description] = stdout.split("\n");
      expect(usage).toContain(`Usage: converge ${COMMANDS[index]}`);
      expect(blank).toBe("");
      expect(description).toMatch(/^\w+ .+/);
    }
  });

  it("no arguments print the help as a usage error", async () => {
    const { code, stderr } = await sandbox().converge();
    expect(code).toBe(2);
    expect(stderr).toContain("Usage: converge");
  });
});

describe("usage errors exit 2 and say the next step", () => {
  it.each([
    { args: ["rnu"], says: "Did you mean run?" },
    { args: ["run", "--gaet", "x"], says: "Did you mean --gate?" },
    { args: ["run", "--max-iterations"], says: "argument missing" },
    { args: ["stop"], says: "missing required argument 'run'" },
    { args: ["ls", "extra"], says: "too many arguments" },
    { args: ["run", "-p", "x"], says: "no agent, and no installed agent was found; " },
    { args: ["run", "--agent-cmd", "true"], says: "no prompt; " },
    {
      args: ["run", "-p", "x", "--agent", "a", "--agent-cmd", "b"],
      says: "give --agent or --agent-cmd, not both",
    },
    {
      args: ["run", "-p", "x", "--agent", "comand"],
      says: 'unknown agent "comand"; did you mean "command"?',
    },
    { args: ["run", "-p", "x", "--agent-cmd", "x", "--max-time", "soon"], says: "limits.time: expected" },
    {
      args: ["run", "-p", "x", "--agent-cmd", "x", "--max-iterations", "0"],
      says: "limits.iterations: expected",
    },
    { args: ["run", "-p", "x", "--agent-cmd", "x", "--workspace", "cloud"], says: "in-place" },
    {
      args: ["run", "-p", "x", "--agent-cmd", "x", "--gate", "true", "--workspace", "worktree"],
      says: 'use "in-place", or run git init',
    },
    { args: ["run", "missing.yaml"], says: "missing.yaml: no such file" },
    { args: ["logs", "--iteration", "two"], says: "there are no runs yet" },
    {
      args: ["ls", "--limit", "0"],
      says: '--limit: expected a whole number of at least 1, got "0"; --all lists every run',
    },
    {
      args: ["limits", "--per-repository", "few"],
      says: '--per-repository: expected a whole number of at least 1, got "few"',
    },
    { args: ["limits"], says: "CONVERGE_DATABASE_URL=postgres://" },
    { args: ["worker"], says: "--database postgres://" },
    {
      args: ["worker", "--database", "postgres://me:secret@127.0.0.1:1/x"],
      says: "cannot reach Postgres at 127.0.0.1:1 as me, database x",
    },
    {
      args: ["worker", "--database", "postgres://127.0.0.1:1/x", "--concurrency", "-1"],
      says: '--concurrency: expected a whole number of at least 1, got "-1"',
    },
    {
      args: ["submit", "-p", "x", "--agent-cmd", "x", "--priority", "10"],
      says: '--priority: expected a whole number from 1 to 9, got "10"; 1 is first',
    },
  ])("$args", async ({ args, says }) => {
    // Hides the agents that are installed on this machine.
    const { code, stdout, stderr } = await sandbox().start(args, { PATH: "/usr/bin:/bin" }).answer;
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stdout).toBe("");
    expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });

  it("names a store that is not a database and leaves it unchanged", async () => {
    const box = sandbox();
    fs.mkdirSync(box.home);
    fs.writeFileSync(`${box.home}/converge.db`, "this is no database, but somebody's file\n".repeat(200));
    const { code, stderr } = await box.converge("ls");
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot use the store ${box.home}/converge.db`);
  });
});

describe("without a terminal", () => {
  it("no command prints a control code", async () => {
    const box = sandbox();
    const agent = "printf '\\033[31mred\\033[0m\\007'; touch done";
    const task = [
      "run",
      "-p",
      "A \u001b[31mred\u001b[0m task",
      "--agent-cmd",
      agent,
      "--gate",
      "printf '\\033[1m'; test -e done",
    ];
    const answers = [await box.converge(...task)];
    for (const command of ["ls", "show", "watch", "logs", "diff"]) answers.push(await box.converge(command));
    for (const { code, stdout, stderr } of answers) {
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
  });

  it("NO_COLOR overrides FORCE_COLOR", async () => {
    const box = sandbox();
    const args = ["run", "-p", "x", "--agent-cmd", "touch done", "--gate", "test -e done"];
    const coloured = await box.start(args, { FORCE_COLOR: "1" }).answer;
    expect(coloured.stdout).toContain("\u001b[");
    const plain = await box.start(["show"], { FORCE_COLOR: "1", NO_COLOR: "1" }).answer;
    expect(plain.stdout).not.toContain("\u001b");
  });
});
