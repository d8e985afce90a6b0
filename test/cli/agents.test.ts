// Tests `converge agents` and the choice of the default agent.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/sandbox.ts";

/** A folder with programs that answer as the CLIs do, and an environment whose PATH finds them. */
function machine(box: Sandbox, programs: Readonly<Record<string, string>>) {
  const bin = path.join(box.home, "..", "bin");
  fs.mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs))
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const home = path.join(box.home, "..", "person");
  fs.mkdirSync(home, { recursive: true });
  const unset = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "", CODEX_API_KEY: "" };
  return { home, env: { ...unset, PATH: `${bin}:/usr/bin:/bin`, HOME: home } };
}

const CLAUDE = `test "$1" = --version && echo "2.1.197 (Claude Code)"`;
const CODEX = `test "$1" = --version && echo "codex-cli 0.166.0"`;

describe("converge agents", () => {
  it("lists installed agents first, with version and login, and how to install the others", async () => {
    const box = sandbox();
    const { home, env } = machine(box, { claude: CLAUDE, codex: CODEX });
    fs.mkdirSync(path.join(home, ".codex"));
    fs.writeFileSync(path.join(home, ".codex", "auth.json"), "{}");
    const { code, stdout } = await box.start(["agents"], env).answer;
    expect(code).toBe(0);
    const [, claude, codex, ...rest] = stdout.split("\n");
    expect(claude).toMatch(/^claude +Claude Code +2\.1\.197 +not logged in +/);
    expect(codex).toMatch(/^codex +Codex.* +0\.166\.0 +logged in +~\/\.codex\/auth\.json exists/);
    expect(rest.join("\n")).toMatch(/^opencode .*not installed +install: npm install -g opencode-ai/m);
    expect(stdout).toContain("converge run uses codex unless");
  });

  it("prints JSON with --json, and exits 1 when none is installed", async () => {
    const box = sandbox();
    const { code, stdout } = await box.start(["agents", "--json"], machine(box, {}).env).answer;
    const agents = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(1);
    expect(agents.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "claude",
        "codex",
        "opencode",
        "gemini",
        "qwen",
        "aider",
        "cursor",
        "copilot",
        "amp",
        "goose",
        "pi",
      ]),
    );
    expect(agents.every(({ program }) => program === undefined)).toBe(true);
  });

  it("does not wait for a program whose version probe hangs or fails", async () => {
    const box = sandbox();
    const { env } = machine(box, { claude: "exit 3", codex: `yes` });
    const { code, stdout } = await box.start(["agents", "--json"], env).answer;
    const found = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ program }) => program);
    expect(code).toBe(0);
    expect(found.map(({ name, version }) => [name, version])).toEqual([
      ["claude", undefined],
      ["codex", undefined],
    ]);
  });
});

describe("without --agent", () => {
  const task = ["-p", "Do it.", "--gate", "test -e done", "--max-iterations", "1"];

  it("uses the first installed agent and says so", async () => {
    const box = sandbox();
    const { env } = machine(box, { claude: "cat > /dev/null; touch done" });
    const login = { ANTHROPIC_API_KEY: "sk-not-real-0123456789" };
    const { code, stderr } = await box.start(["run", ...task], { ...env, ...login }).answer;
    expect(stderr).toContain(
      "agent: claude (Claude Code), the first installed agent; choose another with --agent",
    );
    expect(code).toBe(0);
  });

  it("prefers an agent that is logged in", async () => {
    const box = sandbox();
    const { env } = machine(box, { claude: "exit 9", codex: "cat > /dev/null; touch done" });
    const { stderr } = await box.start(["run", ...task], { ...env, OPENAI_API_KEY: "sk-not-real-0123456789" })
      .answer;
    expect(stderr).toContain("agent: codex");
  });

  it("keeps the task's own agent", async () => {
    const box = sandbox();
    const { env } = machine(box, { claude: "exit 9" });
    const { code, stderr } = await box.start(
      ["run", ...task, "--agent-cmd", "touch done", "--no-protect"],
      env,
    ).answer;
    expect(code).toBe(0);
    expect(stderr).toBe("");
  });

  it("is blocked when the named agent is not installed, with the command that installs it", async () => {
    const box = sandbox();
    const { code, stdout } = await box.start(["run", ...task, "--agent", "claude"], machine(box, {}).env)
      .answer;
    expect(code).toBe(3);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "install it with: npm install -g @anthropic-ai/claude-code",
    );
  });
});

describe("permissions of an agent", () => {
  const checked = async (task: object) => {
    const box = sandbox();
    box.write({ "converge.yaml": JSON.stringify({ prompt: "x", gates: ["true"], ...task }) });
    return box.converge("validate");
  };
  const free = { agent: { type: "claude", permissions: "all" } };

  it("warns of an agent with all permissions and no sandbox", async () => {
    const { code, stderr } = await checked(free);
    expect(code).toBe(0);
    expect(stderr).toContain("warning: permissions: all lets claude do whatever you can do");
    expect((await checked({ ...free, isolation: "strict", protect: "off" })).stderr).toBe("");
  });

  it("refuses allow for an agent that does not restrict commands", async () => {
    const { code, stderr } = await checked({ agent: { type: "codex", allow: ["curl"] } });
    expect(code).toBe(2);
    expect(stderr).toContain("allow: has no effect: Codex does not restrict single commands");
  });
});
