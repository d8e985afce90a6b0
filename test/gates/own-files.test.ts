// Converge's own untracked files are in no snapshot or delivery, and a restore never deletes them.
import { describe, expect, it } from "vitest";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const TASK = {
  prompt: "Make n say fixed.",
  agent: { type: "command", command: "echo fixed > n" },
  gates: [{ name: "fixed", command: "grep -q fixed n" }],
  deliver: "branch",
};

/** A committed project with an untracked task file. */
function project(task: object = {}): Sandbox {
  const box = sandbox();
  box.write({ n: "0\n" });
  box.commitAll();
  box.write({ "converge.yaml": JSON.stringify({ ...TASK, ...task }) });
  return box;
}

const branchOf = (box: Sandbox) =>
  box.git("branch", "--list", "converge/*", "--format=%(refname:short)").trim();
const filesOf = (box: Sandbox, commit: string) =>
  box.git("ls-tree", "-r", "--name-only", commit).trim().split("\n");

describe("untracked files of Converge's own", () => {
  it("are neither captured nor delivered", async () => {
    const box = project();
    box.write({ "other.yaml": JSON.stringify({ ...TASK, prompt: "Again." }), ".converge-notes": "mine\n" });
    const ran = await box.converge("run", "other.yaml", "--json");
    expect(ran.code).toBe(0);
    const [base, last] = ofType(ran.events(), "snapshot.taken");
    expect(base?.snapshot.changes.map(({ path }) => path)).toEqual(["n"]);
    expect(last?.snapshot.changes.map(({ path }) => path)).toEqual(["n"]);
    const branch = branchOf(box);
    expect(filesOf(box, branch)).toEqual(["n"]);
    expect(box.git("log", "--format=%s", `main..${branch}`).trim()).toBe("Again.");
    expect(box.exists("converge.yaml")).toBe(true);
    expect(box.exists("other.yaml")).toBe(true);
  });

  it("other uncommitted work goes into its own commit below the agent's", async () => {
    const box = project();
    box.write({ draft: "mine\n" });
    expect((await box.converge("run", "--json")).code).toBe(0);
    const branch = branchOf(box);
    expect(filesOf(box, branch)).toEqual(["draft", "n"]);
    expect(filesOf(box, `${branch}^`)).toEqual(["draft", "n"]);
    expect(box.git("show", `${branch}^:n`)).toBe("0\n");
    expect(box.git("log", "--format=%s", `main..${branch}`).trim().split("\n")).toEqual([
      "Make n say fixed.",
      expect.stringMatching(/^uncommitted changes from before converge run /),
    ]);
  });

  it("stay where they are when a snapshot is restored", async () => {
    const box = project();
    await box.converge("run", "--json");
    const text = box.read("converge.yaml");
    const restored = await box.converge("restore", "last", "--iteration", "base");
    expect(restored.code).toBe(0);
    expect(box.read("n")).toBe("0\n");
    expect(box.read("converge.yaml")).toBe(text);
  });

  it("are captured like any other file once the user has committed them", async () => {
    const box = project();
    box.commitAll("with the task");
    const ran = await box.converge("run", "--json");
    const [base] = ofType(ran.events(), "snapshot.taken");
    expect(base?.snapshot.changes.map(({ path }) => path)).toEqual(["converge.yaml", "n"]);
    expect(filesOf(box, branchOf(box))).toEqual(["converge.yaml", "n"]);
  });
});
