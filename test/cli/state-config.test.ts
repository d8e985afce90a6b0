import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Task } from "#spec/task";
import { beside, runIds, stored } from "../support/observe.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

function writeUserConfig(box: Sandbox, text: string): void {
  const file = beside(box).place("config/converge/config.yaml");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

async function resolved(box: Sandbox, ...args: string[]): Promise<Task> {
  const { code, stdout, stderr } = await box.converge("validate", "--json", ...args);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout).task;
}

describe("config layers", () => {
  it("built-in < user < project < profile < flags", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": `prompt: project
agent: {type: command, command: "true"}
gates: ["true"]
limits: {iterations: 7}
profiles:
  quick: {limits: {iterations: 5}, memory: {entries: 9}}
`,
    });
    expect(await resolved(box)).toMatchObject({
      strategy: { type: "hybrid" },
      memory: { type: "captured" },
      limits: { iterations: 7, agentFailures: 3 },
    });

    writeUserConfig(box, "prompt: user\nlimits: {iterations: 9, agentFailures: 6}\nstrategy: fixed\n");
    const layered = {
      prompt: "project",
      strategy: { type: "fixed" },
      limits: { iterations: 7, agentFailures: 6 },
    };
    expect(await resolved(box)).toMatchObject(layered);
    expect(await resolved(box, "--profile", "quick")).toMatchObject({
      ...layered,
      limits: { iterations: 5, agentFailures: 6 },
      memory: { type: "captured", entries: 9 },
    });

    const flags = ["--profile", "quick", "--max-iterations", "3", "-p", "flag", "--strategy", "ralph"];
    const { code } = await box.converge("run", ...flags);
    expect(code).toBe(0);
    expect(ofType(await stored(box), "run.started")[0]?.task).toMatchObject({
      prompt: "flag",
      strategy: { type: "ralph" },
      limits: { iterations: 3, agentFailures: 6 },
      memory: { type: "captured", entries: 9 },
    });
  });

  it("profiles extend profiles, and the task file may choose one", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": `prompt: x
agent: {type: command, command: "true"}
gates: ["true"]
protect: off
profile: night
profiles:
  base: {limits: {iterations: 3, cost: 1}, promise: FINE}
  long: {extends: base, limits: {iterations: 30}}
  night: {extends: [long], limits: {cost: 20}}
`,
    });
    expect(await resolved(box)).toMatchObject({ limits: { iterations: 30, cost: 20 }, promise: "FINE" });
    expect(await resolved(box, "--profile", "base")).toMatchObject({ limits: { iterations: 3, cost: 1 } });
  });

  it("refuses a cycle of profiles and prints the chain", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml": `prompt: x
agent: {type: command, command: touch started}
profiles:
  a: {extends: b}
  b: {extends: c}
  c: {extends: a}
`,
    });
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain("converge.yaml:6:16: profiles extend each other in a cycle: a → b → c → a");
    expect(box.exists("started")).toBe(false);
  });

  it("names the known profiles when one is unknown", async () => {
    const box = sandbox();
    box.write({ "converge.yaml": "prompt: x\nagent: {type: command, command: x}\nprofiles: {night: {}}\n" });
    const { code, stderr } = await box.converge("run", "--profile", "nigth");
    expect(code).toBe(2);
    expect(stderr).toContain('unknown profile "nigth"; did you mean "night"? (known: night)');
  });
});

describe("the run stores its resolved config", () => {
  const TASK = { "converge.yaml": 'prompt: x\nagent: {type: command, command: "true"}\ngates: ["true"]\n' };

  it("stores the resolved config and its hash in the run", async () => {
    const box = sandbox();
    box.write(TASK);
    const { hash, task } = JSON.parse((await box.converge("validate", "--json")).stdout);
    await box.converge("run");
    const started = ofType(await stored(box), "run.started")[0];
    expect(started).toMatchObject({ taskHash: hash, task });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it("hashes the meaning, not the formatting", async () => {
    const box = sandbox();
    const hash = async (text: string) => {
      box.write({ "converge.yaml": text });
      return JSON.parse((await box.converge("validate", "--json")).stdout).hash;
    };
    const one = await hash(TASK["converge.yaml"]);
    const same = await hash(
      "gates:\n  - {command: 'true'}\nprompt: x\nagent: {command: 'true', type: command}\n",
    );
    const other = await hash(TASK["converge.yaml"].replace("prompt: x", "prompt: y"));
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("a resumed run uses its stored config, even when the file has changed", async () => {
    const box = sandbox();
    box.write({
      "converge.yaml":
        'prompt: x\nagent: {type: command, command: touch made}\nstrategy: manual\ngates: ["false"]\n',
    });
    expect((await box.converge("run")).code).toBe(4);
    box.write({ "converge.yaml": "this: is no task\n" });
    await box.converge("decide", "last", "continue");
    expect((await box.converge("resume")).code).toBe(4);
    expect(ofType(await stored(box), "iteration.started")).toHaveLength(2);
  });
});

describe("mistakes are reported with their location, and nothing starts", () => {
  const refused = async (text: string) => {
    const box = sandbox();
    box.write({ "converge.yaml": text });
    const { code, stderr, stdout } = await box.converge("run");
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(box.exists("started")).toBe(false);
    expect(await runIds(box)).toEqual([]);
    return stderr;
  };
  const GOOD = "prompt: x\nagent: {type: command, command: touch started}\n";

  it.each([
    { key: "an unknown key", extra: "promt: y", says: '3:1: unknown key "promt"; did you mean "prompt"?' },
    {
      key: "an unknown key deep inside",
      extra: "limits:\n  iteratons: 3",
      says: '4:3: unknown key "iteratons" in limits; did you mean "iterations"?',
    },
    {
      key: "an unknown option of a gate",
      extra: "gates:\n  - name: t\n    command: 'true'\n    timout: 5m",
      says: '6:5: unknown key "timout"',
    },
    {
      key: "an unknown option of a strategy",
      extra: "strategy: {type: hybrid, baseIteration: 3}",
      says: '3:26: unknown key "baseIteration" in strategy; did you mean "baseIterations"?',
    },
    { key: "an unknown strategy", extra: "strategy: hybird", says: '3:11: unknown strategy "hybird"' },
    { key: "a bad value", extra: "limits: {iterations: many}", says: "3:22: limits.iterations: expected" },
    {
      key: "a gate that is not there",
      extra: "gates: [{name: a, command: x}]\nuntil: [b]",
      says: '4:9: unknown gate "b"',
    },
    { key: "broken YAML", extra: "limits: {iterations: 3", says: "converge.yaml:" },
  ])("$key", async ({ extra, says }) => {
    expect(await refused(`${GOOD}${extra}\n`)).toContain(says);
  });

  it("reports all mistakes at once", async () => {
    const stderr = await refused(`${GOOD}promt: y\nlimits: {iterations: 0}\nworkspace: inplace\n`);
    for (const place of ["converge.yaml:3:1:", "converge.yaml:4:22:", "converge.yaml:5:12:"])
      expect(stderr).toContain(place);
  });

  it("names the user's config file in its mistakes", async () => {
    const box = sandbox();
    writeUserConfig(box, "strategy: fixed\nmemry: none\n");
    box.write({ "converge.yaml": GOOD });
    const { code, stderr } = await box.converge("run");
    expect(code).toBe(2);
    expect(stderr).toContain(`${beside(box).place("config/converge/config.yaml")}:2:1: unknown key "memry"`);
  });

  it("reports an unknown template variable with its position in the template", async () => {
    const box = sandbox();
    box.write({ "converge.yaml": `${GOOD}template: fix.hbs\n`, "fix.hbs": "Do this:\n{{tsak}}\n" });
    const { code, stderr } = await box.converge("validate");
    expect(code).toBe(2);
    expect(stderr).toMatch(/fix\.hbs:2:\d+: .*"tsak".*did you mean "task"/);
  });
});
