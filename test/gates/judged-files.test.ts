// Protected files that change while a gate runs are the gate's doing, never the agent's.
import { describe, expect, it } from "vitest";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const shell = (command: string) => ({ type: "command", command });
const LATE_FIX = shell('[ "$CONVERGE_ITERATION" = 1 ] || echo right > lib');

function project(
  command: string,
  files: Readonly<Record<string, string>>,
  task: object = {},
  untracked: Readonly<Record<string, string>> = {},
): Sandbox {
  const box = sandbox();
  box.write({ lib: "wrong\n", ...files });
  box.commitAll();
  box.write(untracked);
  const gates = [{ name: "check", command }];
  const given = { prompt: "Fix it.", agent: LATE_FIX, gates, protect: ["tests/**"], ...task };
  box.write({ "converge.yaml": JSON.stringify(given) });
  return box;
}

async function ran(box: Sandbox) {
  const answer = await box.converge("run", "--json");
  const events = answer.events();
  return {
    code: answer.code,
    accusations: ofType(events, "protected.changed"),
    outputs: ofType(events, "outputs.seen").flatMap(({ paths }) => paths),
    verdicts: ofType(events, "gate.judged").map(({ iteration, verdict }) => ({
      iteration,
      status: verdict.status,
      summary: verdict.summary,
    })),
    prompts: ofType(events, "iteration.started").map(({ prompt }) => prompt),
  };
}

describe("ignored or untracked protected files that the gates write at the baseline", () => {
  it("are outputs: neither sealed nor blamed on the agent", async () => {
    const box = project(
      "for t in a b; do date +%s%N > tests/$t.log; done; grep -q right lib",
      { "tests/a.test": "a\n", ".gitignore": "a.log\n" },
      {},
      { "tests/a.log": "old\n", "tests/b.log": "old\n" },
    );
    const { code, accusations, outputs, verdicts } = await ran(box);
    expect(accusations).toEqual([]);
    expect(outputs).toEqual(["tests/a.log", "tests/b.log"]);
    expect(verdicts.map(({ status }) => status)).toEqual(["failed", "failed", "passed"]);
    expect(code).toBe(0);
  });

  it("stay protected when no gate wrote them at the baseline", async () => {
    const agent = shell("echo emptied > tests/golden.log; echo right > lib");
    const files = { ".gitignore": "*.log\n" };
    const box = project(
      "grep -q gold tests/golden.log && grep -q right lib",
      files,
      { agent },
      {
        "tests/golden.log": "gold\n",
      },
    );
    const { accusations } = await ran(box);
    expect(accusations.map(({ changes }) => changes)).toEqual([
      [{ path: "tests/golden.log", kind: "changed" }],
    ]);
    expect(box.read("tests/golden.log")).toBe("gold\n");
  });

  it("are restored silently when the gates write ignored ones only later", async () => {
    const files = { ".gitignore": "*.log\n" };
    const command = "grep -q compiles lib && date +%s%N > tests/run.log && grep -q right lib";
    const agent = shell('[ "$CONVERGE_ITERATION" = 1 ] && echo compiles > lib || echo compiles right > lib');
    const { code, accusations, verdicts } = await ran(
      project(command, files, { agent }, { "tests/run.log": "old\n" }),
    );
    expect(accusations).toEqual([]);
    expect(verdicts.map(({ status }) => status)).toEqual(["failed", "failed", "passed"]);
    expect(code).toBe(0);
  });
});

describe("a tracked protected file that changes while a gate runs", () => {
  const SNAP = { "tests/x.snap": "kept\n" };

  it("is restored, and the gate judges again", async () => {
    const command =
      '[ -f "$HOME_MARK" ] || { touch "$HOME_MARK"; echo new > tests/x.snap; }; grep -q right lib';
    const box = project(command, SNAP, { agent: shell("echo right > lib") });
    const mark = `${box.home}.mark`;
    const answer = await box.start(["run", "--json"], { HOME_MARK: mark }).answer;
    const [base] = ofType(answer.events(), "gate.judged");
    expect(base?.verdict.status).toBe("failed");
    expect(base?.verdict.summary).toContain('tests/x.snap changed while gate "check" ran');
    expect(ofType(answer.events(), "protected.changed")).toEqual([]);
    expect(box.read("tests/x.snap")).toBe("kept\n");
    expect(answer.code).toBe(0);
  });

  it("leaves a gate errored that changes it every time at the baseline", async () => {
    const box = project("date +%s%N > tests/x.snap; grep -q right lib", SNAP);
    const { accusations, verdicts } = await ran(box);
    expect(verdicts[0]).toEqual({
      iteration: 0,
      status: "errored",
      summary: 'tests/x.snap changed while gate "check" ran',
    });
    expect(accusations).toEqual([]);
    expect(box.read("tests/x.snap")).toBe("kept\n");
  });

  it("fails the gate when the agent's program changes it, and tells the agent without blaming it", async () => {
    const command = "sh lib; grep -q kept tests/x.snap || exit 0; exit 1";
    const agent = shell(
      '[ "$CONVERGE_ITERATION" = 1 ] && echo "echo gone > tests/x.snap" > lib || echo : > lib',
    );
    const box = project(command, SNAP, { agent, limits: { iterations: 2 } });
    const { code, accusations, verdicts, prompts } = await ran(box);
    expect(verdicts[1]).toEqual({
      iteration: 1,
      status: "failed",
      summary: 'tests/x.snap changed while gate "check" ran',
    });
    expect(code).toBe(1);
    expect(accusations).toEqual([]);
    expect(prompts[1]).toContain('tests/x.snap changed while gate "check" ran');
    expect(box.read("tests/x.snap")).toBe("kept\n");
  });
});
