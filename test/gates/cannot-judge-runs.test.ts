import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { beside } from "../support/observe.ts";
import { ranIn } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { terminal } from "../support/shell.ts";
import { waitFor } from "../support/wait.ts";

const AGENT = ["-p", "Fix it.", "--agent-cmd", "echo x >> worked"];

const run = async (box: Sandbox, ...args: string[]) =>
  ranIn(box, await box.converge("run", ...AGENT, ...args, "--json"));

/** A program outside the workspace that the gate needs. */
function tool(box: Sandbox, script = "exit 1") {
  const file = path.join(beside(box).place("bin"), "checker");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { file, PATH: `${path.dirname(file)}:${process.env.PATH}` };
}

describe("a gate that cannot judge the baseline", () => {
  it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      "a mistyped program",
      "nodee --test",
      {},
      /^gate "nodee --test" cannot judge: nodee: command not found; .*did you mean node\?/,
    ],
    [
      "a mistyped script",
      "npm run tset",
      { "package.json": '{"scripts":{"test":"false"}}' },
      /package.json has no script "tset".*did you mean test\?/,
    ],
    [
      "dependencies that are not installed",
      "npm test",
      { "package.json": '{"scripts":{"test":"no-such-runner"}}' },
      /no-such-runner: command not found; install the dependencies \(npm install\)/,
    ],
    [
      "a mistyped target",
      "make tset",
      { Makefile: "test:\n\tfalse\n" },
      /there is no target "tset".*did you mean test\?/,
    ],
    [
      "a script that is not executable",
      "./check",
      { check: "#!/bin/sh\nexit 1\n" },
      /\.\/check cannot be executed; run: chmod \+x \.\/check/,
    ],
    [
      "a script with Windows line endings",
      "./check.sh",
      { "check.sh": "#!/bin/sh\r\nexit 1\r\n" },
      /ends in a carriage return/,
    ],
  ])("ends the run before an agent starts: %s", async (_, gate, files, words) => {
    const box = sandbox();
    box.write(files);
    const ran = await run(box, "--gate", gate);
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(ran.reason).toMatch(words);
    expect(ran.reason).toContain("No agent was started.");
    expect(ran.reason).toContain("--allow-errored-baseline");
    expect(box.exists("worked")).toBe(false);
  });

  it("lets the agent build what is missing with --allow-errored-baseline", async () => {
    const box = sandbox();
    const agent = "printf '#!/bin/sh\\nexit 0\\n' > check; chmod +x check";
    const args = ["-p", "x", "--agent-cmd", agent, "--gate", "./check", "--allow-errored-baseline"];
    const ran = ranIn(box, await box.converge("run", ...args, "--json"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(ran.prompts[0]).toContain("./check: command not found");
  });

  it("judges again on resume, once it is fixed", async () => {
    const box = sandbox();
    expect(await run(box, "--gate", "./check.sh")).toMatchObject({ code: 3, iterations: 0 });
    box.write({ "check.sh": "#!/bin/sh\ntest -e worked\n" });
    const resumed = ranIn(box, await box.converge("resume", "last", "--json"));
    expect(resumed).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });

  it("counts a crash as a failure that reaches the agent", async () => {
    const box = sandbox();
    const ran = await run(box, "--gate", "test -e worked || { echo overflow >&2; kill -SEGV $$; }");
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(ran.prompts[0]).toContain("overflow");
  });

  it("blocks the run when the set-up of the clean room fails", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml":
        "prompt: x\nagent: {type: command, command: touch worked}\ngates: ['false']\ncleanRoom: {setup: no-such-installer}\n",
    });
    const ran = ranIn(box, await box.converge("run", "--json"));
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(ran.reason).toContain("the set-up of the clean room failed: no-such-installer");
  });
});

describe("a gate that times out at the baseline", () => {
  it("blocks the run without a terminal and names the flags", async () => {
    const box = sandbox();
    const ran = await run(box, "--gate", "sleep 60", "--gate-timeout", "300ms");
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(ran.reason).toMatch(/timed out after 0.3 s; raise --gate-timeout/);
    expect(ran.reason).toContain("--allow-errored-baseline");
  });

  it("does not override a gate's own timeout with --gate-timeout", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml":
        'prompt: x\nagent: {type: command, command: "true"}\ngates: [{name: slow, command: "sleep 60", timeout: 300ms}]\n',
    });
    const ran = ranIn(box, await box.converge("run", "--json", "--gate-timeout", "1h"));
    expect(ran.reason).toContain("timed out after 0.3 s");
  });

  it.each([
    ["y", 0, true],
    ["n", 3, false],
  ])("asks in a terminal, where %s decides", async (answer, code, worked) => {
    const box = sandbox();
    box.write({ "gate.sh": "#!/bin/sh\ntest -e worked || sleep 60\n" });
    const shell = terminal(
      box,
      `converge run -p x --agent-cmd 'touch worked' --gate ./gate.sh --gate-timeout 500ms --isolation off; echo "code $?"`,
    );
    await waitFor(() => shell.printed().includes("[y/N]"));
    shell.type(`${answer}\n`);
    await waitFor(() => shell.printed().includes("code "));
    expect(shell.printed()).toContain(`code ${code}`);
    expect(box.exists("worked")).toBe(worked);
  });

  it("counts a timeout as a failure once a baseline has judged", async () => {
    const box = sandbox();
    const ran = await run(
      box,
      "--gate",
      "test -e worked && sleep 60",
      "--gate-timeout",
      "500ms",
      "--max-iterations",
      "1",
    );
    expect(ran).toMatchObject({ code: 1, outcome: "diverged", iterations: 1 });
    expect(ofType(ran.events, "gate.judged").at(-1)?.verdict).toMatchObject({
      status: "failed",
      summary: expect.stringMatching(/^timed out after 0.5 s; the baseline took [\d.]+ s$/),
    });
  });
});

describe("a gate that stops being able to judge", () => {
  it("pauses the run before the next agent call and judges again on resume", async () => {
    const box = sandbox();
    const { file, PATH } = tool(box);
    const agent = `echo x >> worked; if [ "$CONVERGE_ITERATION" = 1 ]; then mv ${file} ${file}.gone; fi`;
    const args = ["run", "-p", "x", "--agent-cmd", agent, "--gate", "checker", "--json"];
    const ran = ranIn(box, await box.start(args, { PATH }).answer);
    expect(ran).toMatchObject({ code: 4, iterations: 1 });
    const [paused] = ofType(ran.events, "run.paused");
    expect(paused?.reason).toContain('gate "checker" cannot judge: checker: command not found');
    expect(box.read("worked")).toBe("x\n");
    fs.writeFileSync(file, "#!/bin/sh\ntest $(wc -l < worked) = 2\n", { mode: 0o755 });
    const resumed = ranIn(box, await box.start(["resume", "last", "--json"], { PATH }).answer);
    expect(resumed).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    expect(resumed.prompts.join("\n")).not.toContain("command not found");
  });

  it("tells the agent when the agent removed what the gate needs", async () => {
    const box = sandbox();
    box.write({ "tools/check.sh": "#!/bin/sh\ntest -e ../fixed\n" });
    const agent = 'if [ "$CONVERGE_ITERATION" = 1 ]; then mv tools old; else mv old tools; touch fixed; fi';
    const args = ["-p", "x", "--agent-cmd", agent, "--gate", "cd tools && ./check.sh"];
    box.write({
      "converge.yaml": JSON.stringify({ protect: "off" }),
    });
    const ran = ranIn(box, await box.converge("run", ...args, "--json"));
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(ran.prompts[1]).toContain("tools: no such folder");
  });

  it("tells the agent when its change broke the set-up, and pauses when the set-up broke by itself", async () => {
    const box = sandbox();
    const { file, PATH } = tool(box, "test ! -e broken");
    const steps = 'case "$CONVERGE_ITERATION" in 1) touch broken;; 2) rm broken; touch fixed;; esac';
    const task = {
      prompt: "x",
      agent: { type: "command", command: steps },
      gates: ["test -e fixed"],
      cleanRoom: { setup: file },
      strategy: { type: "fixed", iterations: 5 },
    };
    box.write({ "converge.yaml": JSON.stringify(task) });
    const told = ranIn(box, await box.start(["run", "--json"], { PATH }).answer);
    expect(told).toMatchObject({ code: 0, outcome: "converged", iterations: 2 });
    expect(told.prompts[1]).toContain("the set-up of the clean room failed");

    const other = sandbox();
    const gone = tool(other, "exit 0");
    const removes = `touch worked; printf '#!/bin/sh\\nexit 9\\n' > ${beside(other).place("bin")}/checker`;
    other.write({
      "converge.yaml": JSON.stringify({
        ...task,
        agent: { type: "command", command: removes },
        cleanRoom: { setup: "checker" },
      }),
    });
    const paused = ranIn(other, await other.start(["run", "--json"], { PATH: gone.PATH }).answer);
    expect(paused).toMatchObject({ code: 4, iterations: 1 });
  });
});

describe("a gate with a pipe", () => {
  it("does not hide failing tests", async () => {
    const box = sandbox();
    box.write({ Makefile: "test:\n\t@test -e worked\n" });
    const ran = await run(box, "--gate", "make test | tee log");
    expect(ran).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
  });

  it("run and validate warn when its exit code is lost", async () => {
    const box = sandbox();
    box.write({
      Makefile: "test:\n\t@false\n",
      "converge.yaml":
        'prompt: x\nagent: {type: command, command: "true"}\ngates: ["make test; echo done"]\n',
    });
    for (const command of ["run", "validate"])
      expect((await box.converge(command)).stderr).toContain('exit code of "make test" is lost');
  });

  it("is refused without bash", async () => {
    const box = sandbox();
    const bin = beside(box).place("bin");
    fs.mkdirSync(bin, { recursive: true });
    for (const name of ["sh", "git", "make", "env"])
      fs.symlinkSync(fs.realpathSync(`/usr/bin/${name}`), path.join(bin, name));
    const args = ["run", ...AGENT, "--gate", "make test | tee log"];
    const { code, stderr } = await box.start(args, { PATH: bin }).answer;
    expect(code).toBe(2);
    expect(stderr).toContain("bash is not installed");
  });
});

describe("checks before the baseline", () => {
  const GATE = ["--gate", "touch judged; false"];

  it.each<[string, string, RegExp]>([
    [
      "a program that is not there",
      "./nope.sh",
      /^\.\/nope.sh: command not found; install it, or correct the agent's command$/,
    ],
    [
      "a program of a longer command",
      "no-such-agent --fix < prompt && echo done",
      /^no-such-agent: command not found; install it/,
    ],
    [
      "a file that is not executable",
      "./agent.txt",
      /^\.\/agent.txt is not executable; run: chmod \+x \.\/agent.txt$/,
    ],
    [
      "a script with Windows line endings",
      "./crlf.sh",
      /^the first line of \.\/crlf.sh ends in a carriage return \(Windows line ending\)/,
    ],
  ])("blocks the run: %s", async (_, agent, words) => {
    const box = sandbox();
    box.write({ "agent.txt": "", "crlf.sh": "#!/bin/sh\r\ntrue\r\n" });
    const ran = ranIn(box, await box.converge("run", "-p", "x", "--agent-cmd", agent, ...GATE, "--json"));
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(ran.reason).toMatch(words);
    expect(box.exists("judged")).toBe(false);
  });

  it("blocks on a CLI that is not logged in", async () => {
    const box = sandbox();
    const out = beside(box);
    const bin = out.place("bin");
    const HOME = out.place("nobody");
    for (const dir of [bin, HOME]) fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(path.join(bin, "claude"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const args = ["run", "-p", "x", "--agent", "claude", ...GATE, "--json"];
    const env = { HOME, PATH: `${bin}:${process.env.PATH}`, ANTHROPIC_API_KEY: "" };
    const ran = ranIn(box, await box.start(args, env).answer);
    expect(ran).toMatchObject({ code: 3, outcome: "blocked", iterations: 0 });
    expect(ran.reason).toMatch(/^Claude Code: not logged in; run `claude` once and log in/);
    expect(box.exists("judged")).toBe(false);
  });

  it("refuses to start without git", async () => {
    const box = sandbox();
    const bin = beside(box).place("bin");
    fs.mkdirSync(bin, { recursive: true });
    for (const name of ["sh", "touch", "false"])
      fs.symlinkSync(fs.realpathSync(`/bin/${name}`), path.join(bin, name));
    const { code, stderr } = await box.start(["run", ...AGENT, ...GATE], { PATH: bin }).answer;
    expect(code).toBe(2);
    expect(stderr.match(/git: command not found/g)).toHaveLength(1);
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });
});

describe("a run without gates", () => {
  it("is refused before anything starts, with the alternatives", async () => {
    const box = sandbox();
    const { code, stderr } = await box.converge("run", ...AGENT);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'No gate: nothing can verify the work. Add --gate "npm test" (in a task: gates: ["npm test"]), or use converge ralph (in a task: strategy: ralph)',
    );
    expect(box.exists("worked")).toBe(false);
  });

  it("is accepted when the agent's promise ends it", async () => {
    const box = sandbox();
    const args = ["ralph", "Fix it.", "--agent-cmd", "echo '<promise>DONE</promise>'", "--json"];
    expect(ranIn(box, await box.converge(...args))).toMatchObject({ code: 0, outcome: "converged" });
  });
});
