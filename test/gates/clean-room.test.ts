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
/** Makes the file `done`, which the gates ask for: the baseline is red, the first iteration is not. */
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

/** What a gate printed. */
const said = (verdict: Verdict | undefined) => verdict?.evidence.stdout ?? "";

describe("D the tree that is judged", () => {
  it("D is the snapshot's, is recorded with the verdict, and is the one that the run leaves", async () => {
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

  it("D has none of the files that the agent left where git does not look", async () => {
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

  it("D may be asked for by one gate alone", async () => {
    const result = await runIn({
      cleanRoom: "off",
      agent: script([FINISH]),
      gates: [
        { name: "in", command: "pwd; test -f done", cleanRoom: true },
        { name: "out", command: "pwd; test -f done" },
      ],
    });
    expect(said(verdicts(result, 1).in)).toContain(path.join(result.box.home, "rooms"));
    expect(said(verdicts(result, 1).out).trim()).toBe(result.box.dir);
    expect(Object.keys(verdicts(result, 1).out ?? {})).not.toContain("tree");
  });

  it("D names failures from the workspace on", async () => {
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

  it("D stays what it was when a process that escaped swaps files of the workspace during the gate", async () => {
    const box = sandbox();
    const { place } = beside(box);
    const daemon = `while ! test -e ${place("judging")}; do sleep 0.05; done; echo broken > src; touch ${place("swapped")}`;
    box.write({
      src: "bad\n",
      ...taskFile({
        cleanRoom: true,
        agent: script([
          { write: { src: "good\n" } },
          // Without the mark and in a session of its own: nothing but a namespace would end it.
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

describe("D gates that change files", () => {
  it("D change neither the workspace nor what later gates find", async () => {
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

  it("D that change what set-up made leave another room to the next gate", async () => {
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

describe("D the environment of a clean room", () => {
  it("D has what is on the list and nothing else", async () => {
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
    const names = said(verdicts(result, 1).env)
      .split("\n")
      .map((line) => line.split("=")[0]);
    const text = said(verdicts(result, 1).env);
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

  it("D finds no program in the workspace, however the path was set", async () => {
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
    expect(said(verdicts(result, 1).real)).toBe("");
  });
});

describe("D what a run rests on outside of the workspace", () => {
  const gates = [{ name: "real", command: "node check.js" }];
  const files = { "check.js": 'process.exit(require("fs").existsSync("done") ? 0 : 1);\n' };
  const strategy = { type: "fixed", iterations: 1 };
  const pauseOf = ({ events }: Ran) => ofType(events, "run.paused").at(-1)?.reason;

  it("D a program planted on the path is not used, and the verdict says where it is", async () => {
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

  it("D a git planted on the path takes no snapshot", async () => {
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

  it("D a program whose bytes were changed is not used", async () => {
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

  it("D a setting that appeared, such as ~/.npmrc, is not heeded", async () => {
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

  it("D a task file that was changed is told of and not used, in a clean room or not", async () => {
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

describe("D set-up", () => {
  /** A set-up that counts itself outside and fills `deps` from the lockfile. */
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

  it("D runs once for all gates of a tree, and its log is kept", async () => {
    const box = installing();
    const result = await ran(box);
    expect(result).toMatchObject({ outcome: "converged", iterations: 3 });
    expect(beside(box).lines("setups")).toHaveLength(4);
    const { stdout } = await box.converge("logs", "last", "--iteration", "1");
    expect(stdout).toContain("$ mkdir deps");
  });

  it("D is skipped while the cache has what it would make, and runs again for another lockfile", async () => {
    const box = installing({}, { cache: { deps: "lock" } });
    expect(await ran(box)).toMatchObject({ outcome: "converged", iterations: 3 });
    // The base fills the cache, the first iteration uses it; the lockfile that the agent wrote is never kept.
    expect(beside(box).lines("setups")).toHaveLength(3);
    const { stdout } = await box.converge("logs", "last", "--iteration", "1");
    expect(stdout).toContain("set-up skipped: deps from the cache");
  });

  it("D that fails is the verdict of every gate, with command, exit code and output", async () => {
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

  it("D that takes too long is ended", async () => {
    const result = await runIn({
      cleanRoom: { setup: "sleep 1000", setupTimeout: "300ms" },
      agent: script([]),
      strategy: { type: "fixed", iterations: 1 },
      gates: [{ name: "one", command: "true" }],
    });
    expect(verdicts(result, 0).one?.summary).toContain("timed out: the limit for set-up is 0.3 s");
  });

  it("D is ended at once by a stop, and no room is left", async () => {
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

describe("D a clean room after kill -9", () => {
  /** The part under way waits for a file beside the workspace, once it has said that it is there. */
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

  it.each(["setup", "gate"] as const)("D in the middle of the %s goes on with a fresh one", async (part) => {
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
  });
});
