import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Verdict } from "#spec/verdict";
import { beside, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { type Ran, ranIn, taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";
import { waitFor } from "../support/wait.ts";

type Files = Readonly<Record<string, string>>;
type Env = Readonly<Record<string, string>>;

const script = (...iterations: object[][]) => ({ type: "scripted", iterations });
const run = (command: string) => ({ run: command });
/** Creates the file `done`, which the gates require: the baseline is red, the first iteration is green. */
const FINISH = { write: { done: "yes\n" } };

function boxWith(task: object, files: Files = {}): Sandbox {
  const box = sandbox();
  box.write({ ...files, ...taskFile({ cleanRoom: true, ...task }) });
  return box;
}

async function ran(box: Sandbox, env: Env = {}, ...args: string[]): Promise<Ran> {
  return ranIn(box, await box.start(args.length > 0 ? args : ["run", "--json"], env).answer);
}

const runIn = (task: object, files: Files = {}, env: Env = {}) => ran(boxWith(task, files), env);

function verdicts({ events }: Pick<Ran, "events">, iteration: number): Record<string, Verdict> {
  const judged = ofType(events, "gate.judged").filter((event) => event.iteration === iteration);
  return Object.fromEntries(judged.map(({ gate, verdict }) => [gate, verdict]));
}

function roomsLeft(box: Sandbox): string[] {
  const rooms = path.join(box.home, "rooms");
  return fs.existsSync(rooms) ? fs.readdirSync(rooms) : [];
}

/** The stdout of a gate. */
const stdoutOf = (verdict: Verdict | undefined) => verdict?.evidence.stdout ?? "";

describe("the judged tree", () => {
  it("is the snapshot's tree, recorded with the verdict and left by the run", async () => {
    const result = await runIn({
      agent: script([FINISH]),
      gates: [{ name: "done", command: "test -f done" }],
    });
    expect(result).toMatchObject({ code: 0, outcome: "converged", iterations: 1 });
    const [base, made] = ofType(result.events, "snapshot.taken").map(({ snapshot }) => snapshot.tree);
    expect(verdicts(result, 0).done).toMatchObject({ status: "failed", tree: base });
    expect(verdicts(result, 1).done).toMatchObject({ status: "passed", tree: made });
    expect(ofType(result.events, "run.ended")[0]?.tree).toBe(made);
    expect(made).not.toBe(base);
    expect(roomsLeft(result.box)).toEqual([]);
  });

  it("contains none of the ignored files that the agent left", async () => {
    const shims = run(
      "mkdir -p node_modules/.bin .cache && echo shim > node_modules/.bin/tests && echo old > .cache/verdict",
    );
    const result = await runIn(
      {
        agent: script([shims, FINISH]),
        gates: [
          { name: "room", command: "test -f done && test ! -e node_modules && test ! -e .cache" },
          { name: "no repository", command: "test ! -e .git" },
          { name: "workspace", command: "test -f node_modules/.bin/tests", cleanRoom: false },
        ],
      },
      { ".gitignore": "node_modules\n.cache\n" },
    );
    expect(result).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(verdicts(result, 1).workspace?.tree).toBeUndefined();
  });

  it("can be enabled for one gate alone", async () => {
    const result = await runIn({
      cleanRoom: "off",
      agent: script([FINISH]),
      gates: [
        { name: "in", command: "pwd; test -f done", cleanRoom: true },
        { name: "out", command: "pwd; test -f done" },
      ],
    });
    expect(stdoutOf(verdicts(result, 1).in)).toContain(path.join(result.box.home, "rooms"));
    expect(stdoutOf(verdicts(result, 1).out).trim()).toBe(result.box.dir);
    expect(Object.keys(verdicts(result, 1).out ?? {})).not.toContain("tree");
  });

  it("reports failure locations relative to the workspace", async () => {
    const tap =
      'printf "TAP version 13\\n1..1\\nnot ok 1 - adds\\n  ---\\n  location: \\"$PWD/test/a.js:3:1\\"\\n  ...\\n"; false';
    const result = await runIn(
      {
        agent: script([]),
        strategy: { type: "fixed", iterations: 1 },
        gates: [{ name: "tests", command: tap }],
      },
      { "test/a.js": "" },
    );
    expect(verdicts(result, 1).tests?.failures[0]?.location).toMatch(/^test\/a\.js:3/);
  });

  it("stays unchanged when an escaped process swaps workspace files during the gate", async () => {
    const box = sandbox();
    const { place } = beside(box);
    const daemon = `while ! test -e ${place("judging")}; do sleep 0.05; done; echo broken > src; touch ${place("swapped")}`;
    box.write({
      src: "bad\n",
      ...taskFile({
        cleanRoom: true,
        agent: script([
          { write: { src: "good\n" } },
          // Without the mark and in its own session, only a namespace would end it.
          run(
            `env -i /usr/bin/setsid /bin/sh -c 'echo $$ > ${place("daemon")}; ${daemon}' >/dev/null 2>&1 &`,
          ),
        ]),
        gates: [
          {
            name: "good",
            command: `grep -q good src || exit 1; touch ${place("judging")}; while ! test -e ${place("swapped")}; do sleep 0.05; done; grep good src`,
          },
        ],
      }),
    });
    const result = await ran(box);
    expect(result).toMatchObject({ outcome: "converged", iterations: 1 });
    const [restored] = ofType(result.events, "workspace.restored");
    expect(restored?.tree).toBe(verdicts(result, 1).good?.tree);
    expect(ofType(result.events, "run.ended")[0]?.tree).toBe(restored?.tree);
    expect(box.read("src")).toBe("good\n");
    await waitFor(() => !isAlive(Number(beside(box).read("daemon"))));
  });
});

describe("gates that change files", () => {
  it("change neither the workspace nor the files of later gates", async () => {
    const result = await runIn(
      {
        agent: script([FINISH]),
        gates: [
          {
            name: "messy",
            command:
              "test -f done; echo x > src; rm -r lib; echo new > new; mkdir -p deep/er; ln -s /etc link; echo t > $TMPDIR/t",
          },
          {
            name: "after",
            command:
              "test -f done && test $(cat src) = src && test -x lib/a.sh && test ! -e new && test ! -e deep && test ! -e link && test ! -e $TMPDIR/t",
          },
        ],
      },
      { src: "src\n", "lib/a.sh": "#!/bin/sh\n" },
    );
    expect(result).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(result.box.read("src")).toBe("src\n");
    expect(result.box.exists("lib/a.sh")).toBe(true);
    expect(result.box.exists("new")).toBe(false);
  });

  it("a gate that changes the output of the set-up leaves a new room to the next gate", async () => {
    const box = sandbox();
    const { place, lines } = beside(box);
    box.write(
      taskFile({
        cleanRoom: { setup: `mkdir -p deps && echo real > deps/tool && echo x >> ${place("setups")}` },
        baseline: "off",
        agent: script([FINISH]),
        gates: [
          { name: "poisons", command: "echo fake > deps/tool" },
          { name: "after", command: "grep real deps/tool" },
          { name: "third", command: "grep real deps/tool" },
        ],
      }),
    );
    expect(await ran(box)).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(lines("setups")).toHaveLength(2);
  });
});

describe("the environment of a clean room", () => {
  it("has only the allowed variables", async () => {
    const result = await runIn(
      {
        cleanRoom: { env: ["SERVICE_TOKEN"] },
        agent: script([FINISH]),
        gates: [{ name: "env", command: "env; test -f done", env: { OWN: "1" } }],
      },
      {},
      {
        ...{
          NODE_OPTIONS: "--no-warnings",
          LD_PRELOAD: "/no/such/library.so",
          LD_LIBRARY_PATH: "/evil",
          PYTHONPATH: "/evil",
          BASH_ENV: "/evil",
        },
        ...{
          npm_config_registry: "evil",
          GIT_DIR: "/evil",
          SECRET: "1",
          SERVICE_TOKEN: "2",
          CARGO_HOME: "/cargo",
        },
        ...{ LC_TIME: "C", HTTPS_PROXY: "http://127.0.0.1:9" },
      },
    );
    const names = stdoutOf(verdicts(result, 1).env)
      .split("\n")
      .map((line) => line.split("=")[0]);
    const text = stdoutOf(verdicts(result, 1).env);
    for (const line of [
      "SERVICE_TOKEN=2",
      "CARGO_HOME=/cargo",
      "LC_TIME=C",
      "HTTPS_PROXY=http://127.0.0.1:9",
      "OWN=1",
      "CI=1",
    ])
      expect(text).toContain(line);
    for (const name of [
      "NODE_OPTIONS",
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "PYTHONPATH",
      "BASH_ENV",
      "npm_config_registry",
      "GIT_DIR",
      "SECRET",
      "CONVERGE_HOME",
    ])
      expect(names).not.toContain(name);
    expect(/^TMPDIR=(.*)$/m.exec(text)?.[1]).toContain(path.join(result.box.home, "rooms"));
  });

  it("finds no program in the workspace, however PATH is set", async () => {
    const box = boxWith(
      {
        agent: script([
          { write: { "bin/node": "#!/bin/sh\necho shim\n" } },
          run("chmod +x bin/node"),
          FINISH,
        ]),
        gates: [{ name: "real", command: "node check.js" }],
      },
      { "check.js": 'process.exit(require("fs").existsSync("done") ? 0 : 1);\n' },
    );
    const PATH = [path.join(box.dir, "bin"), "bin", process.env.PATH].join(":");
    const result = await ran(box, { PATH });
    expect(result).toMatchObject({ outcome: "converged", iterations: 1 });
    expect(stdoutOf(verdicts(result, 1).real)).toBe("");
  });
});

describe("pins outside the workspace", () => {
  const gates = [{ name: "real", command: "node check.js" }];
  const files = { "check.js": 'process.exit(require("fs").existsSync("done") ? 0 : 1);\n' };
  const strategy = { type: "fixed", iterations: 1 };
  const pauseOf = ({ events }: Ran) => ofType(events, "run.paused").at(-1)?.reason;

  it("pauses when a program is planted on the PATH, and names it", async () => {
    const box = sandbox();
    const bin = beside(box).place("bin");
    fs.mkdirSync(bin);
    const plant = run(`printf '#!/bin/sh\\nexit 0\\n' > ${bin}/node; chmod +x ${bin}/node`);
    box.write({ ...files, ...taskFile({ cleanRoom: true, strategy, gates, agent: script([plant]) }) });
    const result = await ran(box, { PATH: `${bin}:${process.env.PATH}` });
    expect(result.code).toBe(4);
    expect(pauseOf(result)).toMatch(
      new RegExp(`node is now ${bin}/node, and was \\S+node.* when the run started; undo that`),
    );
  });

  it("takes no snapshot with a git planted on the PATH", async () => {
    const box = sandbox();
    const { place, exists } = beside(box);
    const bin = place("bin");
    fs.mkdirSync(bin);
    const plant = run(`printf '#!/bin/sh\\ntouch ${place("called")}\\n' > ${bin}/git; chmod +x ${bin}/git`);
    box.write({
      ...files,
      ...taskFile({ cleanRoom: true, strategy, gates, agent: script([plant, FINISH]) }),
    });
    const result = await ran(box, { PATH: `${bin}:${process.env.PATH}` });
    expect(pauseOf(result)).toContain(`git is now ${bin}/git`);
    expect(ofType(result.events, "snapshot.taken")[1]?.snapshot.changes).toEqual([
      { kind: "added", path: "done" },
    ]);
    expect(exists("called")).toBe(false);
  });

  it("pauses when the bytes of a program changed", async () => {
    const box = sandbox();
    const bin = beside(box).place("bin");
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, "checker"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const agent = script([run(`printf '#!/bin/sh\\nexit 0\\n' > ${bin}/checker`)]);
    box.write(
      taskFile({ cleanRoom: true, strategy, agent, gates: [{ name: "real", command: ["checker"] }] }),
    );
    const result = await ran(box, { PATH: `${bin}:${process.env.PATH}` });
    expect(verdicts(result, 0).real?.status).toBe("failed");
    expect(pauseOf(result)).toContain(`${bin}/checker was changed after the run had started`);
  });

  it("pauses when a settings file such as ~/.npmrc appeared, and resumes once it is gone", async () => {
    const box = sandbox();
    const HOME = beside(box).place("user");
    fs.mkdirSync(HOME);
    const agent = script([run(`echo 'script-shell=/bin/true' > ${HOME}/.npmrc`), FINISH], []);
    box.write({ ...files, ...taskFile({ cleanRoom: true, strategy, gates, agent }) });
    const result = await ran(box, { HOME });
    expect(result.code).toBe(4);
    expect(pauseOf(result)).toContain(
      `${HOME}/.npmrc, which tools read, was created after the run had started`,
    );
    fs.rmSync(path.join(HOME, ".npmrc"));
    const again = await ran(box, { HOME }, "resume", "last", "--json", "--max-iterations", "5");
    expect(again.outcome).toBe("converged");
  });

  it("warns of a changed task file and ignores it, with or without a clean room", async () => {
    const box = boxWith({
      cleanRoom: "off",
      agent: script([]),
      strategy,
      gates: [{ name: "no", command: "false" }],
    });
    await ran(box);
    const [started] = ofType(await stored(box), "run.started");
    expect(Object.keys(started?.pins ?? {})).toContain(path.join(box.dir, "converge.yaml"));
    box.write(taskFile({ agent: script([]), gates: [{ name: "no", command: "true" }] }));
    const again = await ran(box, {}, "resume", "last", "--json");
    expect(again.stderr).toContain("converge.yaml has changed since run");
    expect(again.stderr).toContain("goes on with the task it started with");
    expect(again.outcome).toBe("diverged");
  });
});

describe("set-up", () => {
  /** A set-up that counts its runs outside the room and fills `deps` from the lockfile. */
  function installing(task: object = {}, cleanRoom: object = {}): Sandbox {
    const box = sandbox();
    const setup = `mkdir deps && cp lock deps/lock && echo x >> ${beside(box).place("setups")}`;
    box.write({
      lock: "1\n",
      ".gitignore": "deps\n",
      ...taskFile({
        cleanRoom: { setup, ...cleanRoom },
        gates: [
          { name: "one", command: "cmp lock deps/lock && test -f done" },
          { name: "two", command: "cmp lock deps/lock && test -f done" },
        ],
        agent: script([{ write: { other: "1\n" } }], [{ write: { lock: "2\n" } }], [FINISH]),
        ...task,
      }),
    });
    return box;
  }

  it("runs once for all gates of a tree, and its log is kept", async () => {
    const box = installing();
    const result = await ran(box);
    expect(result).toMatchObject({ outcome: "converged", iterations: 3 });
    expect(beside(box).lines("setups")).toHaveLength(4);
    const { stdout } = await box.converge("logs", "last", "--iteration", "1");
    expect(stdout).toContain("$ mkdir deps");
  });

  it("is skipped on a cache hit and runs again for another lockfile", async () => {
    const box = installing({}, { cache: { deps: "lock" } });
    expect(await ran(box)).toMatchObject({ outcome: "converged", iterations: 3 });
    // The baseline fills the cache, the first iteration uses it; a lockfile written by the agent is never cached.
    expect(beside(box).lines("setups")).toHaveLength(3);
    const { stdout } = await box.converge("logs", "last", "--iteration", "1");
    expect(stdout).toContain("set-up skipped: deps from the cache");
  });

  it("a failure is the verdict of every gate, with command, exit code and output", async () => {
    const result = await runIn({
      cleanRoom: { setup: ["true", "echo no such package; exit 3"] },
      agent: script([]),
      strategy: { type: "fixed", iterations: 1 },
      allowErroredBaseline: true,
      gates: [
        { name: "one", command: "true" },
        { name: "two", command: "true" },
      ],
    });
    expect(result.outcome).toBe("diverged");
    for (const name of ["one", "two"])
      expect(verdicts(result, 1)[name]).toMatchObject({
        status: "errored",
        summary: "the set-up of the clean room failed: echo no such package; exit 3: exit code 3",
        failures: [{ message: expect.stringContaining("no such package") }],
        evidence: { exitCode: 3 },
      });
    expect(result.prompts[0]).toContain("no such package");
  });

  it("is killed after its timeout", async () => {
    const result = await runIn({
      cleanRoom: { setup: "sleep 1000", setupTimeout: "300ms" },
      agent: script([]),
      strategy: { type: "fixed", iterations: 1 },
      gates: [{ name: "one", command: "true" }],
    });
    expect(verdicts(result, 0).one?.summary).toContain("timed out: the limit for set-up is 0.3 s");
  });

  it("is killed at once by a stop, and no room is left", async () => {
    const box = sandbox();
    const { place, read } = beside(box);
    box.write(
      taskFile({
        cleanRoom: { setup: `echo $$ > ${place("setup")}; trap '' INT TERM; while :; do sleep 1000; done` },
        agent: script([]),
        gates: [{ name: "one", command: "true" }],
      }),
    );
    const { answer } = box.start(["run", "--json"]);
    const pid = await waitFor(() => Number(read("setup")) || false);
    await box.converge("stop", "last");
    expect(ranIn(box, await answer)).toMatchObject({ outcome: "stopped" });
    expect(isAlive(pid)).toBe(false);
    expect(roomsLeft(box)).toEqual([]);
  });
});

describe("a clean room after kill -9", () => {
  /** The current step waits for a file beside the workspace once it has reported its start. */
  function waiting(part: "setup" | "gate"): { box: Sandbox; go: () => void; there: () => boolean } {
    const box = sandbox();
    const { place, exists, touch } = beside(box);
    const wait = `touch ${place("there")}; while ! test -e ${place("go")}; do sleep 0.05; done`;
    box.write(
      taskFile({
        cleanRoom: { setup: part === "setup" ? wait : "true" },
        baseline: "off",
        agent: script([FINISH]),
        gates: [{ name: "one", command: part === "gate" ? `${wait}; test -f done` : "test -f done" }],
      }),
    );
    return { box, go: () => touch("go"), there: () => exists("there") };
  }

  it.each(["setup", "gate"] as const)(
    "uses a new room after a kill in the middle of the %s",
    async (part) => {
      const { box, go, there } = waiting(part);
      const { child, answer } = box.start(["run", "--json"]);
      await waitFor(there);
      child.kill("SIGKILL");
      await answer;
      expect(roomsLeft(box)).toHaveLength(1);
      go();
      const result = await ran(box, {}, "resume", "last", "--json");
      expect(result).toMatchObject({ outcome: "converged" });
      expect(verdicts(result, 1).one?.tree).toBe(ofType(result.events, "run.ended")[0]?.tree);
      expect(roomsLeft(box)).toEqual([]);
    },
  );
});
