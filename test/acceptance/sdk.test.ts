import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Agent,
  type AgentResult,
  builtIns,
  ConfigError,
  captured,
  command,
  converge,
  type Gate,
  hybrid,
  hybridMemory,
  inMemory,
  type Memory,
  type RunEvent,
  type Strategy,
  scripted,
  sqlite,
  structured,
  summarized,
  UsageError,
} from "../../src/index.ts";
import { beside, runIds, stored } from "../support/observe.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const COUNT = { prompt: "Count to two.", agent: command('echo "$CONVERGE_ITERATION" > n') };
const TWO = command('test "$(cat n)" = 2', { name: "two" });

function inBox(): { box: Sandbox; place: { cwd: string; home: string } } {
  const box = sandbox();
  return { box, place: { cwd: box.dir, home: box.home } };
}

/** An agent that is an object of this program. */
function live(work: (iteration: number, prompt: string, dir: string) => Partial<AgentResult>): Agent {
  return {
    name: "live",
    async *run({ iteration, prompt, dir }) {
      yield { type: "activity", text: `at ${iteration}` };
      const done = { ok: true, exitCode: 0, message: "", usage: {}, durationMs: 1, leftBehind: [] };
      yield { type: "finished", result: { ...done, ...work(iteration, prompt, dir) } };
    },
  };
}

/** Sets the user's config file for one test. */
function userConfig(yaml: string): void {
  const config = fs.mkdtempSync(path.join(os.tmpdir(), "converge-user-config-"));
  fs.mkdirSync(path.join(config, "converge"));
  fs.writeFileSync(path.join(config, "converge", "config.yaml"), yaml);
  const before = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = config;
  onTestFinished(() => {
    process.env.XDG_CONFIG_HOME = before;
    fs.rmSync(config, { recursive: true });
  });
}

describe("converge(task)", () => {
  it("reads the user's config file, which the task overrides", async () => {
    const { place } = inBox();
    userConfig('agent: {type: command, command: "echo 2 > n"}\nlimits: {iterations: 7, cost: 3}\n');
    const { outcome, run } = await converge(
      { prompt: "Count to two.", gates: [TWO], limits: { iterations: 4 } },
      place,
    );
    expect(outcome).toBe("converged");
    expect(run.task.agents).toMatchObject([{ type: "command", command: "echo 2 > n" }]);
    expect(run.task.limits).toMatchObject({ iterations: 4, cost: 3 });
  });

  it("resolves to the outcome when awaited", async () => {
    const { place } = inBox();
    const result = await converge({ ...COUNT, gates: [TWO], strategy: hybrid({ baseIterations: 3 }) }, place);
    expect(result).toMatchObject({ state: "ended", outcome: "converged", iterations: 2, partial: false });
    expect(result.run.iterations[1]?.verdicts).toMatchObject([
      { gate: "two", verdict: { status: "passed" } },
    ]);
    expect(result.elapsedMs).toBeGreaterThan(0);
  });

  it("yields the events in order, each after it is on disk", async () => {
    const { box, place } = inBox();
    const heard: RunEvent[] = [];
    for await (const event of converge({ ...COUNT, gates: [TWO] }, place)) {
      heard.push(event);
      expect((await stored(box))[event.seq - 1]).toEqual(event);
    }
    expect(heard.map((event) => event.seq)).toEqual(heard.map((_, index) => index + 1));
    expect(heard[0]?.type).toBe("run.started");
    expect(heard.at(-1)?.type).toBe("run.ended");
  });

  it("gives several iterators and an await the same events, early or late", async () => {
    const { place } = inBox();
    const run = converge({ ...COUNT, gates: [TWO] }, place);
    const listen = async () => {
      const types: string[] = [];
      for await (const { type } of run) types.push(type);
      return types;
    };
    const [one, two, result] = await Promise.all([listen(), listen(), run]);
    expect(two).toEqual(one);
    expect(await listen()).toEqual(one);
    expect((await run).run).toBe(result.run);
    expect(await run.id).toBe(result.run.id);
  });

  it("continues when an iterator leaves early", async () => {
    const { place } = inBox();
    const run = converge({ ...COUNT, gates: [TWO] }, place);
    for await (const _ of run) break;
    expect((await run).outcome).toBe("converged");
  });

  it("stores runs where the command line finds them", async () => {
    const { box, place } = inBox();
    const { run } = await converge({ ...COUNT, gates: [TWO] }, place);
    expect(await runIds(box)).toEqual([run.id]);
    expect((await box.converge("show", run.id)).stdout).toContain("converged after 2 iterations");
  });

  it("accepts the scripted agent, captured memory and every key of the task file", async () => {
    const { box, place } = inBox();
    const result = await converge(
      {
        prompt: "Write it.",
        agent: scripted([[{ write: { "a.txt": "no" } }], [{ write: { "a.txt": "yes" } }, { say: "done" }]]),
        gates: ["grep -q yes a.txt"],
        memory: captured({ entries: 1, chars: 100 }),
        limits: { iterations: 3, time: "1m" },
        vars: { name: "value" },
      },
      place,
    );
    expect(result).toMatchObject({ outcome: "converged", iterations: 2 });
    expect(box.read("a.txt")).toBe("yes");
    expect(result.run.task.limits).toMatchObject({ iterations: 3, timeMs: 60_000 });
  });
});

describe("live objects", () => {
  it("accepts objects as agent, gate, strategy and memory", async () => {
    const { place } = inBox();
    const prompts: string[] = [];
    const agent = live((iteration, prompt, dir) => {
      prompts.push(prompt);
      fs.writeFileSync(path.join(dir, "n"), String(iteration));
      return { message: `did ${iteration}` };
    });
    const gate: Gate = {
      name: "three",
      judge: async ({ dir, iteration }) => {
        const passed = iteration > 0 && fs.readFileSync(path.join(dir, "n"), "utf8") === "3";
        const evidence = {};
        return {
          status: passed ? "passed" : "failed",
          score: iteration / 3,
          summary: "",
          failures: [],
          evidence,
          durationMs: 0,
        };
      },
    };
    const asked: number[] = [];
    const strategy: Strategy = (run) => {
      asked.push(run.iterations.length);
      return {
        continue: true,
        reason: "of course",
        confidence: 0.5,
        feedback: `after ${run.iterations.length}`,
      };
    };
    const memory: Memory = { recall: (run) => `remembered ${run.iterations.length}` };
    const activity: string[] = [];
    const onActivity = (text: string) => activity.push(text);
    const task = { prompt: "x", agent, gates: [gate], strategy, memory };
    const result = await converge(task, { ...place, onActivity });
    expect(result).toMatchObject({ outcome: "converged", iterations: 3 });
    expect(asked).toEqual([1, 2, 3]);
    expect(activity).toEqual(["at 1", "at 2", "at 3"]);
    expect(prompts[1]).toContain("remembered 1");
    expect(prompts[1]).toContain("after 1");
    expect(result.run.task.agents).toEqual([{ type: "inline", name: "live" }]);
  });

  it("accepts types from the caller's own registry", async () => {
    const { place } = inBox();
    const registries = builtIns();
    registries.strategies.register("never", {
      create: () => () => ({ continue: false, reason: "never", confidence: 1 }),
    });
    const result = await converge(
      { ...COUNT, gates: ["false"], strategy: "never" },
      { ...place, registries },
    );
    expect(result).toMatchObject({ outcome: "diverged", reason: "never", iterations: 1 });
  });

  it("an agent that throws ends the run as an error and keeps the finished work", async () => {
    const { place } = inBox();
    const agent = live(() => {
      throw new Error("the socket fell out");
    });
    const result = await converge({ prompt: "x", agent, gates: ["false"] }, place);
    expect(result).toMatchObject({
      outcome: "error",
      reason: expect.stringContaining("the socket fell out"),
    });
  });
});

describe("memories", () => {
  const twice = { ...COUNT, gates: [command("false")], strategy: { type: "fixed", iterations: 2 } };
  const promptsWith = async (task: Parameters<typeof converge>[0]) => {
    const { run } = await converge({ ...twice, ...task }, inBox().place);
    return run.iterations[1]?.prompt ?? "";
  };

  it("are built with structured, summarized and hybridMemory", async () => {
    const by = { command: "echo Summed up." };
    expect(await promptsWith({ memory: structured({ entries: 1 }) })).toContain(
      '{"iteration":1,"files":["n"]',
    );
    expect(await promptsWith({ memory: summarized({ by }) })).toContain("summary:\n| Summed up.");
    const both = await promptsWith({ memory: hybridMemory({ by, outputChars: 10, timeout: "30s" }) });
    expect(both).toContain("summary:\n| Summed up.\nfiles changed: n\n");
  });

  it("may be summarized by the live agent that does the work", async () => {
    const agent = live((_, prompt) => ({
      message: prompt.includes("Sum up iteration 1") ? "Told by myself." : "Done.",
    }));
    expect(await promptsWith({ agent, memory: summarized() })).toContain("summary:\n| Told by myself.");
  });
});

describe("stop, tell, signal", () => {
  const patient = (box: Sandbox) => {
    const out = beside(box);
    return command(
      `touch ${out.place("waiting")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; echo $CONVERGE_ITERATION > done`,
    );
  };

  it("stop() ends the run and its agent", async () => {
    const { box, place } = inBox();
    const run = converge({ prompt: "x", agent: patient(box), gates: ["test -e done"] }, place);
    await waitFor(() => beside(box).exists("waiting"));
    await run.stop("enough");
    expect(await run).toMatchObject({ outcome: "stopped", reason: "enough", iterations: 1 });
  });

  it("stop() right after the start stops the run", async () => {
    const { place } = inBox();
    const run = converge({ ...COUNT, gates: ["false"] }, place);
    await run.stop();
    expect(await run).toMatchObject({ outcome: "stopped", reason: "stopped by the program" });
  });

  it("stop() after the end is refused with the reason", async () => {
    const { place } = inBox();
    const run = converge({ ...COUNT, gates: [TWO] }, place);
    await run;
    await expect(run.stop()).rejects.toThrow(/has ended \(converged\)/);
  });

  it("tell() steers, pauses and decides; resume continues", async () => {
    const { box, place } = inBox();
    const task = {
      prompt: "x",
      agent: patient(box),
      gates: [command("test $CONVERGE_ITERATION = 2", { name: "two" })],
    };
    const first = converge(task, place);
    await waitFor(() => beside(box).exists("waiting"));
    await first.tell({ type: "steer", text: "Mind the gap." });
    await first.tell({ type: "pause" });
    beside(box).touch("go");
    const paused = await first;
    expect(paused).toMatchObject({ state: "paused", iterations: 1 });
    expect(paused.outcome).toBeUndefined();
    const heard: RunEvent[] = [];
    const second = converge({}, { ...place, resume: paused.run.id });
    for await (const event of second) heard.push(event);
    expect(heard[0]?.type).toBe("run.resumed");
    expect(await second).toMatchObject({ outcome: "converged", iterations: 2 });
    expect(ofType(heard, "iteration.started")[0]?.prompt).toContain("Mind the gap.");
  });

  it("tell() decides about a parked run", async () => {
    const { place } = inBox();
    const parked = converge({ ...COUNT, gates: [TWO], strategy: "manual" }, place);
    const { state, run } = await parked;
    expect(state).toBe("waiting");
    await parked.tell({ type: "decide", choice: "continue" });
    expect(await converge({}, { ...place, resume: run.id })).toMatchObject({
      outcome: "converged",
      iterations: 2,
    });
  });

  it("aborting the signal leaves a run that can be resumed", async () => {
    const { box, place } = inBox();
    const leave = new AbortController();
    const task = { prompt: "x", agent: patient(box), gates: ["test -e done"] };
    const run = converge(task, { ...place, signal: leave.signal });
    await waitFor(() => beside(box).exists("waiting"));
    leave.abort();
    const left = await run;
    expect(left).toMatchObject({ state: "running" });
    expect(left.outcome).toBeUndefined();
    beside(box).touch("go");
    expect(await converge({}, { ...place, resume: left.run.id })).toMatchObject({ outcome: "converged" });
  });

  it("resume requires the live parts again and uses them", async () => {
    const { place } = inBox();
    const agent = live((iteration, _, dir) => {
      fs.writeFileSync(path.join(dir, "n"), `${iteration}\n`);
      return {};
    });
    const task = { prompt: "x", agent, gates: [TWO], strategy: "manual" };
    const first = converge(task, place);
    const { run } = await first;
    await first.tell({ type: "decide", choice: "continue" });
    await expect(converge({}, { ...place, resume: run.id })).rejects.toThrow(
      /object of the program that started it/,
    );
    expect(await converge(task, { ...place, resume: run.id })).toMatchObject({ outcome: "converged" });
  });

  it("refuses to resume a converged run", async () => {
    const { box, place } = inBox();
    const { run } = await converge({ ...COUNT, gates: [TWO] }, place);
    await expect(converge({}, { ...place, resume: run.id })).rejects.toThrow(
      /has converged; there is nothing to resume/,
    );
    await expect(converge({}, { ...place, resume: "nosuch" })).rejects.toThrow(/there is no run nosuch/);
    expect((await stored(box)).at(-1)).toMatchObject({ type: "run.ended", seq: run.seq });
  });
});

describe("stores", () => {
  it("the in-memory store keeps everything in the process", async () => {
    const { box, place } = inBox();
    const store = inMemory();
    const { run, outcome } = await converge({ ...COUNT, gates: [TWO] }, { ...place, store });
    expect(outcome).toBe("converged");
    expect((await store.read(run.id)).at(-1)).toMatchObject({ type: "run.ended" });
    expect(await store.runs()).toMatchObject([{ id: run.id, workspace: box.dir }]);
    expect(await runIds(box)).toEqual([]);
  });

  it("keeps the caller's store open", async () => {
    const { box, place } = inBox();
    const store = sqlite(path.join(box.home, "mine.db"));
    const { run } = await converge({ ...COUNT, gates: [TWO] }, { ...place, store });
    expect(await store.read(run.id)).toHaveLength(run.seq);
    await store.close();
  });
});

describe("mistakes are rejected before anything starts", () => {
  it.each([
    { what: "no agent", task: { prompt: "x" }, says: /no agent/ },
    {
      what: "an unknown key",
      task: { ...COUNT, gatez: [] },
      says: /task: unknown key "gatez"; did you mean "gates"/,
    },
    {
      what: "a bad value",
      task: { ...COUNT, limits: { iterations: 0 } },
      says: /limits\.iterations: expected/,
    },
    { what: "an unknown type", task: { ...COUNT, strategy: "hybird" }, says: /unknown strategy "hybird"/ },
    {
      what: "a gate without a name",
      task: { ...COUNT, gates: [{ judge: async () => ({}) }] },
      says: /gate with a name/,
    },
  ])("$what: ConfigError", async ({ task, says }) => {
    const { box, place } = inBox();
    const run = converge(task as never, place);
    await expect(run).rejects.toThrow(ConfigError);
    await expect(run).rejects.toThrow(says);
    const listen = async () => {
      for await (const _ of run) throw new Error("nothing can have happened");
    };
    await expect(listen()).rejects.toThrow(ConfigError);
    await expect(run.id).rejects.toThrow(ConfigError);
    expect(await runIds(box)).toEqual([]);
  });

  it("ConfigError names all problems, and is a UsageError", async () => {
    const { place } = inBox();
    const error = await Promise.resolve(converge({ strategy: "hybird", limits: { cost: -1 } }, place)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect((error as ConfigError).problems.length).toBeGreaterThan(2);
  });

  it("refuses a task without gates with the command line's message and creates no run", async () => {
    const { box, place } = inBox();
    const says = "No gate: nothing can verify the work";
    await expect(converge(COUNT, place)).rejects.toThrow(says);
    expect((await box.converge("run", "-p", "x", "--agent-cmd", "true")).stderr).toContain(says);
    expect(await runIds(box)).toEqual([]);
    expect(box.exists("n")).toBe(false);
    const agent = command("echo DONE");
    expect(await converge({ prompt: "x", agent, strategy: "ralph" }, place)).toMatchObject({
      outcome: "converged",
    });
  });

  it("refuses a workspace that is in use and creates no run", async () => {
    const { box, place } = inBox();
    const out = beside(box);
    const wait = `touch ${out.place("waiting")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; touch done`;
    const first = converge({ prompt: "x", agent: command(wait), gates: ["test -e done"] }, place);
    await waitFor(() => out.exists("waiting"));
    await expect(converge({ ...COUNT, gates: [TWO] }, place)).rejects.toThrow(/is in use by run/);
    expect(await runIds(box)).toEqual([await first.id]);
    out.touch("go");
    expect((await first).outcome).toBe("converged");
  });
});
