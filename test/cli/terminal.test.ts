import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { beside, stored } from "../support/observe.ts";
import { isAlive } from "../support/processes.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { terminal } from "../support/shell.ts";
import { waitFor } from "../support/wait.ts";

const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";

/** Two iterations, each slow enough to be seen. */
function slow(): Sandbox {
  const box = sandbox();
  box.write({
    "agent.sh":
      '#!/bin/sh\necho "thinking about $CONVERGE_ITERATION"; sleep 0.4; echo "$CONVERGE_ITERATION" > n\n',
    "converge.yaml": `prompt: Count to two.
agent: {type: command, command: ./agent.sh}
gates: [{name: two, command: 'sleep 0.3; test "$(cat n)" = 2'}]
limits: {iterations: 4}
`,
  });
  return box;
}

function cursorIsShown(output: string): boolean {
  return output.includes(HIDE) && output.lastIndexOf(SHOW) > output.lastIndexOf(HIDE);
}

describe("with a terminal", () => {
  it("shows iteration, phase, gates, score, decision and the agent's output live", async () => {
    const { code, output } = await terminal(slow(), "converge run").ended;
    expect(code).toBe(0);
    const seen = stripVTControlCharacters(output);
    expect(seen).toMatch(/baseline · gate two/);
    expect(seen).toMatch(/iteration 1 of 4 · agent \d/);
    expect(seen).toMatch(/iteration 1 of 4 · gate two \d/);
    expect(seen).toMatch(/iteration 2 of 4 · agent \d/);
    expect(seen).toMatch(/score +.*0%/);
    expect(seen).toMatch(/decision +continue · confidence \d+% · \w/);
    expect(seen).toContain("thinking about 1");
    expect(seen).toContain("Count to two.");
    expect(seen).toMatch(/solved in iteration 2: all gates pass/);
  });

  it("restores the cursor and leaves no panel behind", async () => {
    const { output } = await terminal(slow(), "converge run; echo THE END").ended;
    expect(cursorIsShown(output)).toBe(true);
    const after = stripVTControlCharacters(output.slice(output.lastIndexOf(SHOW)));
    expect(after).toContain("THE END");
    expect(after).not.toContain("Ctrl-C stops");
  });

  it("Ctrl-C stops the run and restores the cursor", async () => {
    const box = sandbox();
    const agent = `echo $$ > ${beside(box).place("pid")}; exec sleep 600`;
    box.write({ "agent.sh": `#!/bin/sh\n${agent}\n` });
    const look = terminal(box, "converge run -p x --agent-cmd ./agent.sh --gate false; echo exit $?");
    await waitFor(() => beside(box).read("pid") !== "");
    await waitFor(() => look.printed().includes("Ctrl-C stops"));
    look.type("\u0003");
    const { output } = await look.ended;
    expect(cursorIsShown(output)).toBe(true);
    expect((await stored(box)).at(-1)).toMatchObject({ outcome: "stopped", reason: "stopped by Ctrl-C" });
    expect(isAlive(Number(beside(box).read("pid")))).toBe(false);
  });

  it("a second Ctrl-C restores the cursor too", async () => {
    const box = sandbox();
    const agent = `#!/bin/sh\ntrap '' INT TERM\necho $$ > ${beside(box).place("pid")}\nwhile :; do sleep 0.05; done\n`;
    box.write({ "agent.sh": agent });
    const look = terminal(box, "trap : INT; converge run -p x --agent-cmd ./agent.sh --gate false");
    await waitFor(() => look.printed().includes("Ctrl-C stops") && beside(box).read("pid") !== "");
    look.type("\u0003");
    await waitFor(() => look.printed().includes("again to exit at once"));
    look.type("\u0003");
    const { output } = await look.ended;
    expect(cursorIsShown(output)).toBe(true);
    await waitFor(() => !isAlive(Number(beside(box).read("pid"))));
  });

  it("a closed terminal leaves a run that can be resumed, and no process", async () => {
    const box = sandbox();
    box.write({ "agent.sh": `#!/bin/sh\necho $$ > ${beside(box).place("pid")}\nexec sleep 600\n` });
    const look = terminal(box, "converge run -p x --agent-cmd ./agent.sh --gate 'test -e done'");
    await waitFor(() => look.printed().includes("Ctrl-C stops") && beside(box).read("pid") !== "");
    look.child.kill("SIGKILL");
    await waitFor(async () => (await stored(box)).at(-1)?.type === "iteration.interrupted");
    expect(isAlive(Number(beside(box).read("pid")))).toBe(false);
    box.write({ "agent.sh": "#!/bin/sh\ntouch done\n" });
    const { code } = await waitFor(async () => {
      const answer = await box.converge("resume");
      return answer.stderr.includes("in use") ? undefined : answer;
    });
    expect(code).toBe(0);
  });

  it("watch shows the same panel for a background run", async () => {
    const box = slow();
    const { code, output } = await terminal(box, "converge run --detach && converge watch last").ended;
    expect(code).toBe(0);
    const seen = stripVTControlCharacters(output);
    expect(seen).toMatch(/iteration 1 of 4 · agent \d/);
    expect(seen).toMatch(/solved in iteration 2: all gates pass/);
    expect(cursorIsShown(output)).toBe(true);
  });

  it("NO_COLOR removes the colours, not the panel", async () => {
    const { output } = await terminal(slow(), "converge run", { NO_COLOR: "1" }).ended;
    expect(output).not.toMatch(/\u001b\[[0-9;]*m/);
    expect(stripVTControlCharacters(output)).toMatch(/iteration 1 of 4 · agent \d/);
  });

  it("a dumb terminal gets plain lines", async () => {
    const { output } = await terminal(slow(), "converge run", { TERM: "dumb" }).ended;
    expect(output).not.toContain("\u001b");
    expect(output).toMatch(/solved in iteration 2: all gates pass/);
  });

  it("--json prints the same in a terminal", async () => {
    const { output } = await terminal(slow(), "converge run --json --no-protect").ended;
    const types = output
      .trim()
      .split("\r\n")
      .map((line) => JSON.parse(line).type);
    expect(types[0]).toBe("run.started");
    expect(types.at(-1)).toBe("run.ended");
  });
});
