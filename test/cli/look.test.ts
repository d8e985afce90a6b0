import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sqlite } from "../../src/index.ts";
import { beside, runIds, stored } from "../support/observe.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

const AGENT = 'echo "line $CONVERGE_ITERATION" >> log.txt; echo "working on $CONVERGE_ITERATION"';
const ARGS = ["run", "-p", "Write three lines.", "--agent-cmd", AGENT];

/** A run of three iterations: the second scores best, the third is in the workspace. */
async function threeIterations(): Promise<Sandbox> {
  const box = sandbox();
  box.write({ "log.txt": "base\n" });
  const gates = ["--gate", "test $CONVERGE_ITERATION = 2", "--gate", "echo checked; false"];
  expect((await box.converge(...ARGS, ...gates, "--strategy", "fixed", "--max-iterations", "3")).code).toBe(
    1,
  );
  return box;
}

/** A run that works until the test ends it. */
async function liveRun(): Promise<{ box: Sandbox; end: () => Promise<unknown> }> {
  const box = sandbox();
  box.write({ "a.txt": "a\n" });
  const out = beside(box);
  const agent = `echo hello from the agent; echo half > a.txt; touch ${out.place("waiting")}; while ! [ -e ${out.place("go")} ]; do sleep 0.05; done; echo bye; touch done`;
  const { answer } = box.start(["run", "-p", "x", "--agent-cmd", agent, "--gate", "test -e done"]);
  await waitFor(() => out.exists("waiting"));
  return {
    box,
    end: () => {
      out.touch("go");
      return answer;
    },
  };
}

describe("converge ls and show", () => {
  it("ls without runs says how to start one", async () => {
    const box = sandbox();
    const { code, stdout } = await box.converge("ls");
    expect(code).toBe(0);
    expect(stdout).toContain("converge run");
    expect((await box.converge("ls", "--json")).stdout).toBe("");
  });

  it("ls lists the newest first, with state, iterations and task", async () => {
    const box = await threeIterations();
    await box.converge("run", "-p", "Be done.", "--agent-cmd", "touch done", "--gate", "test -e done");
    const [newest, oldest] = await runIds(box);
    const { code, stdout } = await box.converge("ls");
    expect(code).toBe(0);
    const rows = stdout.split("\n");
    expect(rows[1]).toMatch(new RegExp(`^${newest}\\s+converged\\s+1\\s.*Be done\\.`));
    expect(rows[2]).toMatch(new RegExp(`^${oldest}\\s+not solved\\s+3\\s.*Write three lines\\.`));
    const listed = (await box.converge("ls", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(listed).toMatchObject([
      { run: newest, state: "converged", iterations: 1, score: 1, workspace: box.dir },
      { run: oldest, state: "diverged", iterations: 3, reason: expect.any(String), scores: [0, 0, 0.5, 0] },
    ]);
    expect((await box.converge("ls", "-n", "1", "--json")).stdout.trim().split("\n")).toHaveLength(1);
  });

  it("ls -n refuses an invalid number", async () => {
    const box = await threeIterations();
    for (const given of ["many", "0", "-1", "1.5"]) {
      const { code, stderr } = await box.converge("ls", `--limit=${given}`);
      expect(code, given).toBe(2);
      expect(stderr).toContain(`got "${given}"`);
    }
  });

  it("show prints each iteration and what to type next", async () => {
    const box = await threeIterations();
    const [id] = await runIds(box);
    const { code, stdout } = await box.converge("show", "last");
    expect(code).toBe(0);
    expect(stdout).toContain(`${id}  not solved after 3 iterations`);
    for (const word of ["Write three lines.", box.dir, "baseline", "iteration 2", `converge resume ${id}`])
      expect(stdout).toContain(word);
    const shown = JSON.parse((await box.converge("show", "--json")).stdout);
    expect(shown).toMatchObject({ state: "diverged", driver: null, progress: { iteration: 3 }, run: { id } });
    expect(shown.run.iterations).toHaveLength(3);
  });

  it("shows a killed run as interrupted, and a live one as running with its driver", async () => {
    const { box, end } = await liveRun();
    const shown = JSON.parse((await box.converge("show", "--json")).stdout);
    expect(shown).toMatchObject({ state: "running", driver: { pid: expect.any(Number), run: shown.run.id } });
    process.kill(shown.driver.pid, "SIGKILL");
    await end();
    expect((await box.converge("ls")).stdout).toContain("interrupted");
    expect((await box.converge("show")).stdout).toContain("interrupted");
  });
});

describe("converge watch and logs", () => {
  it("watch replays an ended run from the start and exits with its code", async () => {
    const box = await threeIterations();
    const { code, stdout } = await box.converge("watch");
    expect(code).toBe(1);
    expect(stdout).toMatch(/iteration 1 of 3[\s\S]+iteration 3 of 3[\s\S]+not solved after 3 iterations/);
    expect((await box.converge("watch", "--json")).events()).toEqual(await stored(box));
  });

  it("watch of a run without a driver says how to resume it", async () => {
    const { box, end } = await liveRun();
    const { driver, run } = JSON.parse((await box.converge("show", "--json")).stdout);
    process.kill(driver.pid, "SIGKILL");
    await end();
    const { stderr } = await box.converge("watch");
    expect(stderr).toContain(`converge resume ${run.id}`);
  });

  it("logs prints the full output of agents and gates", async () => {
    const box = await threeIterations();
    const { code, stdout } = await box.converge("logs");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /baseline · echo checked; false · stdout\nchecked[\s\S]+iteration 1 · agent · stdout\nworking on 1/,
    );
    const second = (await box.converge("logs", "last", "--iteration", "2")).stdout;
    expect(second).toContain("working on 2");
    expect(second).not.toContain("working on 3");
    const files = (await box.converge("logs", "--iteration", "1", "--json")).stdout.trim().split("\n");
    const [log] = files.map((line) => JSON.parse(line));
    expect(log).toMatchObject({ iteration: 1, part: "agent", stream: "stdout" });
    expect(fs.readFileSync(log.file, "utf8")).toBe("working on 1\n");
  });

  it("logs -f follows until the run ends", async () => {
    const { box, end } = await liveRun();
    const following = box.start(["logs", "-f"]);
    await following.until(/hello from the agent/);
    await end();
    const { code, stdout } = await following.answer;
    expect(code).toBe(0);
    expect(stdout).toContain("bye");
  });

  it("logs removes terminal escapes and never splits a character", async () => {
    const box = sandbox();
    // The two bytes of the ü lie on both sides of a chunk boundary.
    const big = "printf '\\033[31mred\\033[0m '; head -c 65522 /dev/zero | tr '\\0' x; printf 'ü\\n'";
    await box.converge("run", "-p", "x", "--agent-cmd", big, "--gate", "false", "--max-iterations", "1");
    const { stdout } = await box.converge("logs", "--iteration", "1");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(/red x{65522}ü\n/);
  });
});

describe("converge diff and restore", () => {
  it("diff shows the whole run, one iteration, or the difference between two", async () => {
    const box = await threeIterations();
    const lines = async (...args: string[]) =>
      (await box.converge("diff", "last", ...args)).stdout.split("\n").filter((line) => /^[+-]\w/.test(line));
    expect((await box.converge("diff")).stdout).toContain("+line 1\n+line 2\n+line 3");
    expect(await lines("2")).toEqual(["+line 2"]);
    expect(await lines("1", "3")).toEqual(["+line 2", "+line 3"]);
    expect(await lines("3", "base")).toEqual(["-line 1", "-line 2", "-line 3"]);
    expect(await lines("best", "last")).toEqual(["+line 3"]);
    box.write({ "log.txt": "mine\n" });
    expect(await lines("now")).toEqual(["-base", "-line 1", "-line 2", "-line 3", "+mine"]);
  });

  it("diff to now does not disturb a running agent", async () => {
    const { box, end } = await liveRun();
    expect((await box.converge("diff", "last", "base", "now")).stdout).toContain("+half");
    expect(await end()).toMatchObject({ code: 0 });
    expect(fs.readdirSync(path.join(box.home, "shadows")).length).toBe(1);
  });

  it("restore brings back the best iteration and saves the replaced files", async () => {
    const box = await threeIterations();
    box.write({ "log.txt": "mine\n", "new.txt": "also mine\n" });
    const restored = await box.converge("restore", "last");
    expect(restored.code).toBe(0);
    expect(restored.stdout).toContain(`${box.dir} is back at iteration 2`);
    expect(box.read("log.txt")).toBe("base\nline 1\nline 2\n");
    expect(box.exists("new.txt")).toBe(false);
    const back = /converge (restore \w+ --iteration \w+)/.exec(restored.stdout)?.[1] ?? "";
    expect((await box.converge(...back.split(" "))).code).toBe(0);
    expect(box.read("log.txt")).toBe("mine\n");
    expect(box.read("new.txt")).toBe("also mine\n");
    expect(ofType(await stored(box), "workspace.restored")).toHaveLength(2);
  });

  it("restore --iteration takes a number, base, best or last", async () => {
    const box = await threeIterations();
    const whole = "base\nline 1\nline 2\nline 3\n";
    for (const [iteration, length] of Object.entries({ 1: 12, base: 5, 0: 5, best: 19, last: 26 })) {
      const { code, stdout } = await box.converge("restore", "last", "--iteration", iteration, "--json");
      expect(code).toBe(0);
      const saved = expect.stringMatching(/^[0-9a-f]{40}$/);
      expect(JSON.parse(stdout)).toMatchObject({ dir: box.dir, saved });
      expect(box.read("log.txt")).toBe(whole.slice(0, length));
    }
  });

  it("restore leaves the user's repository alone", async () => {
    const box = sandbox();
    box.write({ "log.txt": "base\n", "staged.txt": "" });
    box.commitAll();
    await box.converge(...ARGS, "--gate", "false", "--strategy", "fixed", "--max-iterations", "1");
    box.write({ "staged.txt": "staged\n" });
    box.git("add", "staged.txt");
    const before = [box.git("diff", "--cached"), box.git("rev-parse", "HEAD"), box.git("stash", "list")];
    expect((await box.converge("restore", "last", "--iteration", "base")).code).toBe(0);
    expect(box.read("log.txt")).toBe("base\n");
    expect([box.git("diff", "--cached"), box.git("rev-parse", "HEAD"), box.git("stash", "list")]).toEqual(
      before,
    );
  });

  it("restore refuses while the run is working", async () => {
    const { box, end } = await liveRun();
    const { code, stderr } = await box.converge("restore", "last", "--iteration", "base");
    expect(code).toBe(2);
    expect(stderr).toContain("is in use by run");
    expect(box.read("a.txt")).toBe("half\n");
    expect(await end()).toMatchObject({ code: 0 });
  });

  it("refuses an unknown snapshot and names the known ones", async () => {
    const box = await threeIterations();
    for (const name of ["9", "bst", "abcdef1"]) {
      for (const args of [
        ["diff", "last", name],
        ["restore", "last", "--iteration", name],
      ]) {
        const { code, stderr } = await box.converge(...args);
        expect(code).toBe(2);
        expect(stderr).toContain(`no snapshot "${name}"; there are base, 1 to 3, best, last`);
      }
    }
  });
});

describe("RUN", () => {
  /** Runs with chosen ids: copies of a real one. */
  async function withRuns(...ids: string[]): Promise<Sandbox> {
    const box = await threeIterations();
    const events = await stored(box);
    const store = sqlite(path.join(box.home, "converge.db"));
    for (const [index, run] of ids.entries()) {
      const time = `2020-01-0${index + 1}T00:00:00.000Z`;
      await store.append(
        run,
        0,
        events.map((event) => ({ ...event, run, time })),
      );
    }
    await store.close();
    return box;
  }
  const shown = async (box: Sandbox, name: string) => {
    const { code, stdout, stderr } = await box.converge("show", name, "--json");
    return { code, stderr, id: stdout && JSON.parse(stdout).run.id };
  };

  it("accepts an id, a unique prefix of it, or last", async () => {
    const box = await withRuns("qaaaaaaa", "qabbbbbb");
    const [newest] = await runIds(box);
    expect(await shown(box, "qaaaaaaa")).toMatchObject({ code: 0, id: "qaaaaaaa" });
    expect(await shown(box, "qab")).toMatchObject({ code: 0, id: "qabbbbbb" });
    expect(await shown(box, "last")).toMatchObject({ code: 0, id: newest });
  });

  it("refuses an ambiguous prefix with the matches, and an unknown id with the newest runs", async () => {
    const box = await withRuns("qaaaaaaa", "qabbbbbb");
    const [newest] = await runIds(box);
    const several = await shown(box, "qa");
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/"qa" begins 2 runs: qabbbbbb, qaaaaaaa; type one more character/);
    const unknown = await shown(box, "zzz");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain(`there is no run "zzz"; the newest are ${newest}`);
  });

  it("says how to start a run when there is none", async () => {
    const box = sandbox();
    for (const command of ["show", "watch", "logs", "diff", "resume", "stop", "pause", "restore"]) {
      const { code, stderr } = await box.converge(command, "last");
      expect(code, command).toBe(2);
      expect(stderr).toContain("there are no runs yet; start one with `converge run`");
    }
  });
});
