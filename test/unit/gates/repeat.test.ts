import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { command } from "#gates/command";
import { repeated } from "#gates/repeat";
import type { Gate } from "#spec/gate";
import type { Verdict } from "#spec/verdict";
import { gateConformance } from "#testing/gate";
import { exampleRequest, exampleRun, exampleVerdict } from "#testing/run";
import { folders } from "../../support/folders.ts";

const TWO_OF_THREE = { runs: 3, passes: 2 };

const broke = (message: string) => exampleVerdict({ status: "failed", score: 0.5, failures: [{ message }] });
const fine = exampleVerdict({ status: "passed", summary: "exit code 0" });
const crash = exampleVerdict({ status: "errored", summary: "no such tool" });

/** A fake gate that returns these verdicts in order. */
function answering(verdicts: readonly Verdict[]): { gate: Gate; asked: string[] } {
  const asked: string[] = [];
  const judge: Gate["judge"] = async ({ files }) => {
    asked.push(files);
    const verdict = verdicts[asked.length - 1];
    if (!verdict) throw new Error("asked once too often");
    return verdict;
  };
  return { gate: { name: "tests", judge }, asked };
}

async function judge(
  verdicts: readonly Verdict[],
  repeat = TWO_OF_THREE,
  signal = new AbortController().signal,
) {
  const { gate, asked } = answering(verdicts);
  const places = folders();
  const verdict = await repeated(gate, repeat).judge(
    exampleRequest({ run: exampleRun([]), ...places }),
    signal,
  );
  return { verdict, asked: asked.map((files) => path.relative(places.files, files)), places };
}

const grace = { interruptMs: 100, terminateMs: 100 };
const again = (shell: string) => repeated(command("tests", { command: shell, grace }), TWO_OF_THREE);

gateConformance(
  "a repeated gate",
  {
    folders,
    passes: () => again("true"),
    fails: () => again("false"),
    errors: () => again("no-such-tool-anywhere"),
    hangs: () => again("sleep 1000"),
  },
  { describe, it, expect },
);

describe("a gate that must pass n of m runs", () => {
  it("stops as soon as enough runs passed", async () => {
    const { verdict, asked } = await judge([fine, fine]);
    expect(verdict).toMatchObject({ status: "passed", summary: "2 of 2 runs passed: passed, passed" });
    expect(asked).toHaveLength(2);
  });

  it("fails with one pass of three when two are required", async () => {
    const { verdict } = await judge([broke("first"), fine, broke("third")]);
    expect(verdict).toMatchObject({
      status: "failed",
      summary: "1 of 3 runs passed, 2 of 3 required: failed, passed, failed",
      failures: [{ message: "third" }],
    });
    expect(verdict.score).toBeCloseTo(2 / 3);
  });

  it("passes with one failed run and lists the status of each run", async () => {
    const { verdict } = await judge([fine, broke("once"), fine]);
    expect(verdict).toMatchObject({ status: "passed", score: 1, failures: [] });
    expect(verdict.summary).toBe("2 of 3 runs passed: passed, failed, passed");
    expect(verdict.attempts?.map(({ status }) => status)).toEqual(["passed", "failed", "passed"]);
  });

  it("stops as soon as it can no longer pass", async () => {
    const { verdict, asked } = await judge([broke("a"), broke("b")]);
    expect(verdict.status).toBe("failed");
    expect(asked).toHaveLength(2);
  });

  it("counts an errored run as not passed and prefers the verdict of a failed run", async () => {
    expect((await judge([crash, fine, crash])).verdict.status).toBe("errored");
    expect((await judge([crash, crash])).verdict.status).toBe("errored");
    expect((await judge([broke("really"), crash])).verdict).toMatchObject({
      status: "failed",
      failures: [{ message: "really" }],
    });
  });

  it("writes the logs of each run to its own folder", async () => {
    const places = folders();
    const request = exampleRequest({ run: exampleRun([]), ...places });
    await again("echo hello").judge(request, new AbortController().signal);
    const log = (run: string) => fs.readFileSync(path.join(places.files, run, "stdout.log"), "utf8");
    expect([log("1"), log("2")]).toEqual(["hello\n", "hello\n"]);
  });

  it.each(["waiting", "skipped"] as const)("does not repeat a run that is %s", async (status) => {
    const { verdict, asked } = await judge([exampleVerdict({ status })]);
    expect(verdict.status).toBe(status);
    expect(asked).toEqual(["1"]);
  });

  it("errors when it is aborted", async () => {
    const { verdict } = await judge([fine], TWO_OF_THREE, AbortSignal.abort());
    expect(verdict).toMatchObject({ status: "errored", summary: "interrupted after 1 of 3 runs" });
  });

  it("adds up duration and usage", async () => {
    const used = { ...fine, durationMs: 10, usage: { inputTokens: 5, costUsd: 0.5 } };
    expect((await judge([used, used])).verdict).toMatchObject({
      durationMs: 20,
      usage: { inputTokens: 10, costUsd: 1 },
    });
  });
});
