import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lineage } from "#system/lineage";

const module = fileURLToPath(new URL("../../../dist/system/lineage.js", import.meta.url));
const SHOW = `import { lineage } from ${JSON.stringify(module)}; console.log(JSON.stringify(lineage()))`;
const ask = `"${process.execPath}" --input-type=module --eval '${SHOW}'`;

/** The marks on the process that the shell starts and on its ancestors, nearest first. */
function marks(shell: string, env: Record<string, string> = {}): (string | undefined)[] {
  const { CONVERGE_RUN: _ours, ...inherited } = process.env;
  const output = execFileSync("/bin/sh", ["-c", shell], { env: { ...inherited, ...env }, encoding: "utf8" });
  const found = JSON.parse(output) as { pid: number; run?: string }[];
  return found.map(({ run }) => run);
}

describe("lineage", () => {
  it("starts with this process and goes up from parent to parent", () => {
    const pids = lineage().map(({ pid }) => pid);
    expect(pids.slice(0, 2)).toEqual([process.pid, process.ppid]);
    expect(new Set(pids).size).toBe(pids.length);
  });

  it("returns the run whose mark a process carries", () => {
    expect(marks(ask)[0]).toBeUndefined();
    expect(marks(ask, { CONVERGE_RUN: "abc" })[0]).toBe("abc");
  });

  it("sees a parent's mark that a child has removed or changed", () => {
    expect(marks(`env -u CONVERGE_RUN ${ask}; true`, { CONVERGE_RUN: "abc" }).slice(0, 2)).toEqual([
      undefined,
      "abc",
    ]);
    expect(marks(`CONVERGE_RUN=other ${ask}; true`, { CONVERGE_RUN: "abc" }).slice(0, 2)).toEqual([
      "other",
      "abc",
    ]);
  });
});
