// Session loops in the real Codex.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { installCodex, uninstallCodex } from "#hooks/install/codex";
import { realSessions, type SessionHost } from "../support/real-session.ts";
import { ofType } from "../support/sandbox.ts";
import { sessionLoops } from "./session-loops.ts";

const FLAGS = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
const TRUSTED = "--dangerously-bypass-hook-trust";

const codex: SessionHost = {
  name: "codex",
  install: installCodex,
  uninstall: uninstallCodex,
  trust: (dir, home) =>
    fs.appendFileSync(
      path.join(home, ".codex/config.toml"),
      `\n[projects.${JSON.stringify(dir)}]\ntrust_level = "trusted"\n`,
    ),
  args: (prompt, session) =>
    session === undefined
      ? ["exec", ...FLAGS, TRUSTED, prompt]
      : ["exec", ...FLAGS, TRUSTED, "resume", session, prompt],
  session: /"thread_id":"([^"]+)"/,
  sign: "$",
};

describe("a session loop in Codex", () => {
  sessionLoops(codex);

  it("reports the usage of each iteration", async () => {
    const usage = { input: 1200, output: 30, cached: 1000 };
    const world = await realSessions(codex, [
      { say: "I look.", shell: "ls" },
      { say: "One." },
      { say: "<promise>DONE</promise>", usage },
    ]);
    await world.say("$ralph Count to four");
    const results = ofType(await world.box.events(), "agent.finished").map(({ result }) => result);
    expect(results.map(({ usage: used }) => used)).toMatchObject([
      { inputTokens: 2000, outputTokens: 40, cachedTokens: 0 },
      { inputTokens: 1200, outputTokens: 30, cachedTokens: 1000 },
    ]);
    expect(results.map(({ model }) => model)).toEqual(["gpt-5.5", "gpt-5.5"]);
  });

  it("does not start before the user trusts the hooks, and the prompt says so", async () => {
    const world = await realSessions(codex, [{ say: "The hooks are not active." }]);
    const reply = await world.start(["exec", ...FLAGS, "$ralph Count to four"]);
    expect(reply.code, reply.output).toBe(0);
    expect(await world.loops()).toEqual([]);
    expect(world.requests().map(({ body }) => body.includes("the hooks of Converge are not active"))).toEqual(
      [true],
    );
  });
});
