import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLE, folder, problemsIn, problemsOf, read } from "./fixtures.ts";

const START = "prompt: x\nagent: claude\n";

const TASK_KEYS =
  "prompt, promptFile, agent, agents, rotate, context, isolation, secrets, prices, gates, strategy, memory, workspace, limits, until, baseline, allowErroredBaseline, gateTimeout, requireChange, requirePromise, ignorePreexisting, onDivergence, onResume, protect, cleanRoom, deliver, feedback, template, promise, vars, files, hooks, notify, telemetry, profile, profiles";

describe("an invalid task file is rejected with the location, what was expected and the nearest name", () => {
  it.each<[string, string, string[]]>([
    [
      "an unknown key",
      `${START}promt: y`,
      [`converge.yaml:3:1: unknown key "promt"; did you mean "prompt"? (known: ${TASK_KEYS})`],
    ],
    [
      "an unknown key in a map",
      `${START}limits:\n  iteratons: 3`,
      [
        'converge.yaml:4:3: unknown key "iteratons" in limits; did you mean "iterations"? (known: iterations, time, iteration, idle, tokens, cost, agentFailures)',
      ],
    ],
    [
      "an unknown key without a similar one",
      `${START}hooks: {zzz: 1}`,
      ['converge.yaml:3:9: unknown key "zzz" in hooks (known: end, escalate)'],
    ],
    [
      "a bad duration in a gate's options",
      `${START}\n\n\ngates:\n  - command: a\n    timeout: five`,
      ['converge.yaml:8:14: gates[0].timeout: expected a duration like 30s, 5m or 2h, got "five"'],
    ],
    [
      "an unknown key of a gate, among its type's options and the policy",
      `${START}gates:\n  - {command: a, onFailur: stop}`,
      [
        'converge.yaml:4:18: unknown key "onFailur" in gates[0]; did you mean "onFailure"? (known: type, name, onFailure, onSuccess, condition, skipIf, weight, repeat, cleanRoom, command, timeout, exitCode)',
      ],
    ],
    [
      "an unknown action",
      `${START}gates: [{command: a, onFailure: stpo}]`,
      [
        'converge.yaml:3:33: gates[0].onFailure: expected iterate, stop, escalate or {action: …}, got "stpo"; did you mean "stop"?',
      ],
    ],
    [
      "an unknown action in a map",
      `${START}gates: [{command: a, onFailure: {action: stpo}}]`,
      [
        'converge.yaml:3:42: gates[0].onFailure.action: expected iterate, stop or escalate, got "stpo"; did you mean "stop"?',
      ],
    ],
    [
      "attempts of a gate that stops at the first failure",
      `${START}gates: [{command: a, onFailure: {action: stop, maxAttempts: 3}}]`,
      [
        "converge.yaml:3:61: gates[0].onFailure.maxAttempts: has no effect with action: stop, which ends the run at the first failure",
      ],
    ],
    [
      "a backoff with max below delay",
      `${START}gates: [{command: a, onFailure: {backoff: {delay: 1m, max: 1s}}}]`,
      ["converge.yaml:3:60: gates[0].onFailure.backoff.max: expected max to be at least as long as delay"],
    ],
    [
      "a backoff that is not a duration",
      `${START}gates: [{command: a, onFailure: {backoff: soon}}]`,
      [
        'converge.yaml:3:43: gates[0].onFailure.backoff: expected a duration like 30s, 5m or 2h or a map of keys, got "soon"',
      ],
    ],
    [
      "a gate without type",
      `${START}gates:\n  - name: a`,
      ["converge.yaml:4:5: gates[0]: expected a type (known: approval, command)"],
    ],
    [
      "a gate of an unknown type",
      `${START}gates:\n  - type: aproval`,
      ['converge.yaml:4:11: unknown gate "aproval"; did you mean "approval"? (known: approval, command)'],
    ],
    [
      "a gate that is a number",
      `${START}gates: [5]`,
      ["converge.yaml:3:9: gates[0]: expected a command or a map of keys, got 5"],
    ],
    [
      "gates that are not a list",
      `${START}gates: npm test`,
      ['converge.yaml:3:8: gates: expected a list, got "npm test"'],
    ],
    [
      "a duplicate gate name",
      `${START}gates:\n  - npm test\n  - command: npm test`,
      ['converge.yaml:5:5: gates[1]: the name "npm test" is already used; give each gate its own name'],
    ],
    [
      "a gate that is skipped after a later one",
      `${START}gates:\n  - {name: a, command: a, skipIf: {failed: [b]}}\n  - {name: b, command: b}`,
      ['converge.yaml:4:45: unknown earlier gate "b" in gates[0].skipIf.failed (there are none)'],
    ],
    [
      "an unknown gate in until",
      `${START}gates: [{name: tests, command: a}]\nuntil: [tets]`,
      ['converge.yaml:4:9: unknown gate "tets" in until; did you mean "tests"? (known: tests)'],
    ],
    [
      "an unknown agent",
      "prompt: x\nagent: claud",
      ['converge.yaml:2:8: unknown agent "claud"; did you mean "claude"? (known: claude, command, open)'],
    ],
    [
      "an inline agent",
      "prompt: x\nagent: {type: inline, name: x}",
      ['converge.yaml:2:15: unknown agent "inline" (known: claude, command, open)'],
    ],
    [
      "an agent without a type",
      "prompt: x\nagent: {model: a}",
      ["converge.yaml:2:8: agent: expected a type (known: claude, command, open)"],
    ],
    [
      "an agent's option that is missing",
      "prompt: x\nagent: command",
      ["converge.yaml:2:8: agent.command: expected a text, got nothing"],
    ],
    [
      "an agent's option in a list",
      "prompt: x\nagent: {type: claude, args: [a, 1]}",
      ["converge.yaml:2:33: agent.args[1]: expected a text, got 1"],
    ],
    [
      "options that cannot be stored",
      "prompt: x\nagent: {type: open, a: .nan, b: [.inf]}",
      [
        "converge.yaml:2:24: agent.a: expected plain data, got NaN",
        "converge.yaml:2:34: agent.b[0]: expected plain data, got Infinity",
      ],
    ],
    [
      "a component that is a number",
      "prompt: x\nagent: 5",
      ["converge.yaml:2:8: agent: expected a type or {type: …}, got 5"],
    ],
    [
      "a strategy's unknown option",
      `${START}strategy: {baseIteration: 3}`,
      [
        'converge.yaml:3:12: unknown key "baseIteration" in strategy; did you mean "baseIterations"? (known: type, baseIterations, bonusIterations)',
      ],
    ],
    [
      "an unknown workspace",
      `${START}workspace: worktre`,
      [
        'converge.yaml:3:12: workspace: expected in-place, worktree, {type: …, dir: …} or {git: …, ref: …}, got "worktre"; did you mean "worktree"?',
      ],
    ],
    [
      "numbers that are invalid, too small or too large",
      `${START}limits: {iterations: 0, tokens: .nan, cost: -1, agentFailures: 1.5, time: 31d, idle: 0}`,
      [
        "converge.yaml:3:22: limits.iterations: expected at least 1, got 0",
        'converge.yaml:3:75: limits.time: expected a duration of at most 30 days, got "31d"',
        "converge.yaml:3:86: limits.idle: expected a duration longer than 0, got 0",
        "converge.yaml:3:33: limits.tokens: expected a number, got NaN",
        "converge.yaml:3:45: limits.cost: expected more than 0, got -1",
        "converge.yaml:3:64: limits.agentFailures: expected a whole number, got 1.5",
      ],
    ],
    [
      "numbers above the upper bound",
      `${START}limits: {iterations: 1e9, cost: .inf}`,
      [
        "converge.yaml:3:22: limits.iterations: expected at most 100000, got 1000000000",
        "converge.yaml:3:33: limits.cost: expected a number, got Infinity",
      ],
    ],
    [
      "a key without a value",
      `${START}limits:`,
      ["converge.yaml:3:8: limits: expected a map of keys, got nothing"],
    ],
    [
      "a word that is neither on nor off",
      `${START}baseline: offf`,
      ['converge.yaml:3:11: baseline: expected on, off, true or false, got "offf"; did you mean "off"?'],
    ],
    [
      "ignorePreexisting without a baseline",
      `${START}baseline: off\nignorePreexisting: true`,
      [
        'converge.yaml:4:1: ignorePreexisting needs the baseline, which is off; remove "baseline: off" or ignorePreexisting',
      ],
    ],
    [
      "variables that hide a built-in one or each other",
      `${START}vars: {task: a, if: b, x: c, "a b": d}\nfiles: {x: e}`,
      [
        "converge.yaml:3:8: vars.task: this name is reserved; choose another (built in: task, feedback, progress, iteration, max-iterations, promise, run, gates)",
        'converge.yaml:3:17: vars: expected a name of letters, digits, - and _ that is not a template keyword, got "if"',
        "converge.yaml:3:24: vars.x: files has a variable of the same name; rename one of them",
        'converge.yaml:3:30: vars: expected a name of letters, digits, - and _ that is not a template keyword, got "a b"',
      ],
    ],
    [
      "a variable that is a list",
      `${START}vars: {a: [1]}`,
      ["converge.yaml:3:11: vars.a: expected a text, a number, true or false, got a list"],
    ],
    [
      "an unknown variable in a gate's words",
      `${START}gates: [{command: a, onFailure: {feedback: {template: "see {{failure}}"}}}]`,
      [
        'converge.yaml:3:55: gates[0].onFailure.feedback.template: line 1, column 7: unknown variable "failure"; did you mean "failures"? (known: gate, summary, failures, output)',
      ],
    ],
    [
      "a missing workspace folder",
      `${START}workspace: {dir: nowhere}`,
      [
        expect.stringMatching(
          /^converge\.yaml:3:18: workspace\.dir: expected a folder, but .*nowhere is not one$/,
        ),
      ],
    ],
    [
      "no prompt and no agent",
      "gates: [make]",
      [
        'converge.yaml: no prompt; write "prompt: <text>" or "promptFile: <path>", or pass --prompt',
        'converge.yaml: no agent, and no installed agent was found; run `converge agents` to see how to install one, or write "agent: <type>" or pass --agent-cmd (known: claude, command, open)',
      ],
    ],
    [
      "a blank prompt",
      'prompt: " "\nagent: claude',
      ["converge.yaml:1:9: prompt: expected some text, got only blanks"],
    ],
    [
      "a prompt that is a number",
      "prompt: 5\nagent: claude",
      ["converge.yaml:1:9: prompt: expected a text, got 5"],
    ],
    [
      "both prompt and promptFile",
      `${START}promptFile: converge.yaml`,
      ["converge.yaml:3:1: prompt and promptFile are both set; remove one of them"],
    ],
    [
      "a missing prompt file",
      "promptFile: what.md\nagent: claude",
      ["converge.yaml:1:13: promptFile: what.md: no such file"],
    ],
    [
      "a template that is a folder",
      `${START}template: .`,
      [expect.stringMatching(/^converge\.yaml:3:11: template: .*: not a regular file$/)],
    ],
    [
      "options without effect for a delivery type",
      `${START}deliver: {type: branch, file: a, remote: b, base: c}`,
      [
        "converge.yaml:3:25: deliver.file has no effect with branch; use it with patch",
        "converge.yaml:3:34: deliver.remote has no effect with branch; use it with pull-request",
        "converge.yaml:3:45: deliver.base has no effect with branch; use it with pull-request",
      ],
    ],
    [
      "a branch name for a commit",
      `${START}deliver: {type: commit, branch: a}`,
      ["converge.yaml:3:25: deliver.branch has no effect with commit; use it with branch, pull-request"],
    ],
    [
      "a message for a patch",
      `${START}deliver:\n  type: patch\n  message: a`,
      [
        "converge.yaml:5:3: deliver.message has no effect with patch; use it with branch, commit, pull-request",
      ],
    ],
    [
      "options with deliver: none",
      `${START}deliver: {type: none, whenRed: true}`,
      ["converge.yaml:3:23: deliver.whenRed has no effect with none"],
    ],
    [
      "an unknown delivery",
      `${START}deliver: brunch`,
      [
        'converge.yaml:3:10: deliver: expected none, branch, commit, patch, pull-request or {type: …}, got "brunch"; did you mean "branch"?',
      ],
    ],
    ["YAML that is not closed", "prompt: 'x", ["converge.yaml:1:11: Missing closing 'quote"]],
    ["a duplicate key", "prompt: x\nprompt: y", ["converge.yaml:2:1: duplicate key; remove one of the two"]],
    [
      "a duplicate key in two spellings",
      '1: x\n"1": y',
      ['converge.yaml:2:1: expected a key that is a plain name, got "1"'],
    ],
    [
      "a key that is a list",
      "? [a]\n: b",
      ["converge.yaml:1:3: expected a key that is a plain name, got a map of keys"],
    ],
    [
      "a prototype",
      "__proto__: {a: 1}",
      ['converge.yaml:1:1: expected a key that is a plain name, got "__proto__"'],
    ],
    ["an unknown tag", "prompt: !env X", ["converge.yaml:1:9: Unresolved tag: !env"]],
    [
      "two documents",
      "a: 1\n---\nb: 2",
      ["converge.yaml:2:1: a second document begins here; a task file is one document"],
    ],
    ["an unknown anchor", "prompt: *x", ['converge.yaml:1:9: unknown anchor "x"']],
    [
      "a recursive anchor",
      "vars: &x\n  a: *x",
      ["converge.yaml:2:3: nested too deeply, or too many aliases"],
    ],
    ["a list", "- prompt: x", ["converge.yaml:1:1: expected a map of keys, got a list"]],
    ["a text", "prompt", ['converge.yaml:1:1: expected a map of keys, got "prompt"']],
  ])("%s", async (_, text, expected) => {
    expect(await problemsIn(text)).toEqual(expected);
  });

  it("reports every mistake at once, in every part of the file", async () => {
    const text = EXAMPLE.replace("iterations: 20", "iteratons: 20")
      .replace("5m", "five")
      .replace("baseIterations", "baseIteration")
      .replace("agent: claude", "agent: cloude");
    const problems = await problemsIn(text, { "prompts/fix.hbs": "{{tsk}}\n  {{#if progres}}{{/if}}" });
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "converge.yaml:11:10:",
      "converge.yaml:2:8:",
      "converge.yaml:4:26:",
      "converge.yaml:9:14:",
      "prompts/fix.hbs:1:3:",
      "prompts/fix.hbs:2:9:",
    ]);
    expect(problems[4]).toContain('unknown variable "tsk"; did you mean "task"?');
  });

  it("rejects exploding anchors", async () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let n = 1; n < 9; n++)
      lines.push(
        `a${n}: &a${n} [${Array(9)
          .fill(`*a${n - 1}`)
          .join(", ")}]`,
      );
    expect(await problemsIn(lines.join("\n"))).toEqual([
      expect.stringContaining("nested too deeply, or too many aliases"),
    ]);
  });

  it("rejects nesting that would exhaust the parser", async () => {
    const problems = await problemsIn(`vars: ${"[".repeat(20_000)}`);
    expect(problems[0]).toMatch(/^converge\.yaml:1:\d+: nested too deeply$/);
    expect(problems.length).toBeLessThanOrEqual(5);
  });

  it("says where to write a task when the file is missing", async () => {
    const cwd = folder();
    expect(await problemsOf(read({ cwd, file: "task.yaml" }))).toEqual([
      'task.yaml: no such file; write a task there ("prompt: …", "agent: …", "gates: …") or name another file',
    ]);
  });

  it("rejects a file that is not text", async () => {
    const cwd = folder();
    writeFileSync(path.join(cwd, "converge.yaml"), Buffer.from([0x70, 0xff, 0xfe]));
    expect(await problemsOf(read({ cwd, file: "converge.yaml" }))).toEqual(["converge.yaml: not UTF-8 text"]);
  });

  it("rejects a file above the size limit", async () => {
    expect(await problemsIn(`prompt: ${"x".repeat(1024 * 1024)}`)).toEqual([
      "converge.yaml: larger than 1048576 bytes",
    ]);
  });

  it("rejects a device without reading it", async () => {
    const cwd = folder();
    symlinkSync("/dev/zero", path.join(cwd, "converge.yaml"));
    expect(await problemsOf(read({ cwd, file: "converge.yaml" }))).toEqual([
      "converge.yaml: not a regular file",
    ]);
  });

  it("shows the absolute path of a file outside the current folder", async () => {
    const elsewhere = path.join(folder({ "task.yaml": "prompt: x\nagent: claud" }), "task.yaml");
    const [problem] = await problemsOf(read({ cwd: folder(), file: elsewhere }));
    expect(problem).toContain(`${elsewhere}:2:8: unknown agent`);
  });

  it("names the origin of flags", async () => {
    const flags = { prompt: "x", agent: "claude", limits: { iterations: -1 } };
    const cwd = folder();
    expect(await problemsOf(read({ cwd, flags }))).toEqual([
      "command line: limits.iterations: expected at least 1, got -1",
    ]);
    expect(await problemsOf(read({ cwd, flags, origin: "task" }))).toEqual([
      "task: limits.iterations: expected at least 1, got -1",
    ]);
  });

  it("rejects circular flags", async () => {
    const vars: Record<string, unknown> = {};
    vars.vars = vars;
    const flags = { prompt: "x", agent: "claude", vars } as never;
    expect(await problemsOf(read({ cwd: folder(), flags }))).toEqual([
      "command line: nested more than 40 levels deep",
    ]);
  });
});
