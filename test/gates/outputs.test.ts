// Files that gates write without a .gitignore are in no snapshot, change list or delivery.
import { describe, expect, it } from "vitest";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const shell = (command: string) => ({ type: "command", command });

/** Builds like cargo: its own folder, and a lock file beside the sources. */
const BUILD = `mkdir -p target/debug
date +%s%N > target/debug/stamp
cp src/lib target/debug/lib.$(wc -c < src/lib)
[ -f Cargo.lock ] || echo lock > Cargo.lock
grep -q right src/lib
`;

const FILES = { "src/lib": "wrong\n", "build.sh": BUILD };

/** An agent that idles first and then applies the fix. */
const LATE_FIX = shell('[ "$CONVERGE_ITERATION" = 1 ] || echo right > src/lib');

function project(task: object, files: Readonly<Record<string, string>> = {}): Sandbox {
  const box = sandbox();
  box.write({ ...FILES, ...files });
  box.commitAll();
  const gates = [{ name: "build", command: "sh build.sh" }];
  box.write({ "converge.yaml": JSON.stringify({ prompt: "Fix it.", agent: LATE_FIX, gates, ...task }) });
  return box;
}

async function ran(box: Sandbox, code = 0) {
  const answer = await box.converge("run", "--json");
  expect(answer.code, answer.stderr).toBe(code);
  const events = answer.events();
  return {
    changes: ofType(events, "snapshot.taken")
      .filter(({ iteration }) => iteration > 0)
      .map(({ snapshot }) => snapshot.changes.map(({ path }) => path)),
    outputs: ofType(events, "outputs.seen").map(({ iteration, paths, captured }) => ({
      iteration,
      paths: [...paths].sort(),
      ...(captured && { captured }),
    })),
    trees: ofType(events, "snapshot.taken").map(({ snapshot }) => snapshot.tree),
    prompts: ofType(events, "iteration.started").map(({ prompt }) => prompt),
  };
}

const delivered = (box: Sandbox) => {
  const branch = box.git("branch", "--list", "converge/*", "--format=%(refname:short)").trim();
  return box.git("diff", "--name-only", "main", branch).trim().split("\n");
};

describe("files that the gates write at the baseline", () => {
  it("are left out of snapshots, prompts and the delivery", async () => {
    const box = project({ deliver: "branch" });
    const { changes, outputs, prompts, trees } = await ran(box);
    expect(outputs).toEqual([{ iteration: 0, paths: ["Cargo.lock", "target/"] }]);
    expect(changes).toEqual([[], ["src/lib"]]);
    expect(trees[1]).toBe(trees[0]);
    expect(prompts.join()).not.toMatch(/target|Cargo/);
    expect(delivered(box)).toEqual(["src/lib"]);
    expect((await box.converge("diff", "last")).stdout).not.toMatch(/target|Cargo/);
    expect(box.exists("target/debug/stamp")).toBe(true);
  });

  it("are named once in the terminal", async () => {
    const { stdout } = await project({}).converge("run");
    expect(stdout.match(/left out of snapshots: .*/g)).toEqual([
      "left out of snapshots: Cargo.lock, target/ (written by the gates)",
    ]);
    expect(stdout).toContain("1 file changed: src/lib");
  });

  it("are left out when an earlier build has left the folder", async () => {
    const box = project({ deliver: "branch" });
    box.write({ "target/debug/stamp": "old\n", "target/debug/deep/lib.o": "old\n" });
    const { changes, outputs } = await ran(box);
    expect(outputs).toEqual([{ iteration: 0, paths: ["Cargo.lock", "target/"] }]);
    expect(changes).toEqual([[], ["src/lib"]]);
    expect(delivered(box)).toEqual(["src/lib"]);
    const diff = await box.converge("diff", "last", "1");
    expect(diff.stdout).toBe("");
  });

  it("stay when a snapshot is restored", async () => {
    const box = project({});
    await ran(box);
    expect((await box.converge("restore", "last", "--iteration", "base")).code).toBe(0);
    expect(box.read("src/lib")).toBe("wrong\n");
    expect(box.exists("target/debug/stamp")).toBe(true);
  });
});

describe("files that are not outputs", () => {
  it("an output file is captured again once the agent edits it", async () => {
    const agent = shell("echo right > src/lib; echo dependency >> Cargo.lock; echo x > target/mine");
    const box = project({ agent, deliver: "branch" });
    const { changes, outputs } = await ran(box);
    expect(outputs.at(-1)).toEqual({ iteration: 1, paths: [], captured: ["Cargo.lock"] });
    expect(changes).toEqual([["Cargo.lock", "src/lib"]]);
    expect(delivered(box)).toEqual(["Cargo.lock", "src/lib"]);
  });

  it("the agent's files in a folder with tracked files are captured, whatever their names", async () => {
    const agent = shell("echo right > src/lib; echo mine > target/debug/tool.txt");
    const box = project({ agent, deliver: "branch" }, { "target/debug/README": "tracked\n" });
    const { changes } = await ran(box);
    expect(changes).toEqual([["src/lib", "target/debug/tool.txt"]]);
    expect(delivered(box)).toEqual(["src/lib", "target/debug/tool.txt"]);
  });

  it("a tracked file that a gate rewrites is captured", async () => {
    const gates = [{ name: "build", command: "date +%s%N > version; grep -q right src/lib" }];
    const { changes, outputs } = await ran(project({ gates }, { version: "1\n" }));
    expect(outputs).toEqual([]);
    expect(changes).toEqual([["version"], ["src/lib", "version"]]);
  });
});

describe("a build that first succeeds in a later iteration", () => {
  const GATE = [{ name: "build", command: "grep -q compiles src/lib && sh build.sh" }];
  const agent = shell(
    "case $CONVERGE_ITERATION in 1) echo compiles > src/lib;; 2) :;; *) echo compiles right > src/lib;; esac",
  );

  it("leaves its folder out from then on, but captures a file beside tracked ones", async () => {
    const { changes, outputs } = await ran(project({ agent, gates: GATE }));
    expect(outputs).toEqual([{ iteration: 1, paths: ["target/"] }]);
    expect(changes).toEqual([["src/lib"], ["Cargo.lock"], ["src/lib"]]);
  });
});
