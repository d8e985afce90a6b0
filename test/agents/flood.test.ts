// An agent that prints a gigabyte needs little memory, and its log is bounded.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ofType, sandbox } from "../support/sandbox.ts";

const MOST_KB = 150 * 1024;
const ACP_AGENT = fileURLToPath(new URL("../fixtures/agents/acp-agent.mjs", import.meta.url));
const JSON_FLOOD = fileURLToPath(new URL("../fixtures/agents/floods-json.mjs", import.meta.url));

/** The peak memory of the process (VmHWM). */
function peakKb(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

it.each([
  ["bytes without a line", { type: "command", command: "head -c 1073741824 /dev/zero | tr '\\000' x" }],
  ["lines of JSON, each of them read", { type: "claude", program: "./claude.sh" }],
  ["updates over ACP", { type: "acp", command: [process.execPath, ACP_AGENT, "floods", "10000"] }],
])("bounds memory and log size for a gigabyte of %s", { timeout: 180_000 }, async (_, agent) => {
  const box = sandbox();
  box.write({
    "converge.yaml": JSON.stringify({ prompt: "x", agent, gates: ["true"], baseline: "off" }),
    "claude.sh": `#!/bin/sh\ncat > /dev/null\nexec "${process.execPath}" "${JSON_FLOOD}"\n`,
  });
  const { child, answer } = box.start(["run", "--json"]);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakKb(child.pid));
  }, 50);
  const { code, events } = await answer;
  clearInterval(watch);
  expect(code).toBe(0);
  expect(ofType(events(), "agent.finished")[0]?.result.ok).toBe(true);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MOST_KB);
  const log = path.join(box.home, "runs", events()[0]?.run ?? "", "1", "agent", "stdout.log");
  expect(fs.statSync(log).size).toBeLessThan(2 ** 27);
});
