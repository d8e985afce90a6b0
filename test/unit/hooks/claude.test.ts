// Runs Claude Code's hooks against real session loops.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BLOCK_CAP, blockCap, HOOKS } from "#hooks/claude-settings";
import { installClaude, uninstallClaude } from "#hooks/install/claude";
import { temporaryFor } from "#system/files";
import { claudeHook } from "../../support/claude-hook.ts";
import { write } from "../../support/folders.ts";

const PROMISED = "All done.\n\n<promise>DONE</promise>";

describe("a prompt typed into Claude Code", () => {
  it("starts a loop, with the prompt for the model and the status for the user", async () => {
    const hook = claudeHook();
    const task = 'Say "$HOME" and `id`\n---\n{{three}} times';
    const { hookSpecificOutput, systemMessage, decision } = await hook.type(
      `/ralph ${task} --max-iterations=8`,
    );
    expect(decision).toBeUndefined();
    expect(hookSpecificOutput?.hookEventName).toBe("UserPromptSubmit");
    expect(hookSpecificOutput?.additionalContext).toContain("[Converge: iteration 1 of at most 8]");
    expect(hookSpecificOutput?.additionalContext).toContain(task);
    expect(systemMessage).toMatch(/^Ralph loop started\. At most 8 iterations; .*Run \S+$/);
  });

  it("recognises the commands with and without the plugin's prefix, and no other text", async () => {
    const hook = claudeHook();
    expect((await hook.type("/converge:ralph go")).hookSpecificOutput).toBeDefined();
    expect((await hook.type("/converge:ralph-status")).reason).toContain("Iteration 1 of 100");
    for (const other of ["ralph go", "/ralphs go", "see /ralph go", "/other:ralph go", "go on"])
      expect(await hook.type(other)).toEqual({});
  });

  it.each([
    ["nothing", "/ralph", "no task given"],
    ["a wrong number", "/ralph go --max-iterations many", "expected a number from 1 to 100000"],
    ["a mistyped option", "/ralph go --max-iteration 3", "did you mean --max-iterations?"],
  ])("blocks %s and shows the usage", async (_, typed, problem) => {
    const hook = claudeHook();
    const { decision, reason } = await hook.type(typed);
    expect(decision).toBe("block");
    expect(reason).toContain(problem);
    expect(reason).toContain("usage: /ralph ");
    expect(await hook.stop("Anything.")).toEqual({});
  });

  it("reports a mistake in the task file, and starts nothing", async () => {
    const hook = claudeHook();
    write(hook.dir, { "converge.yaml": "prompt: x\ngates: [true]\nlimitz: {}\n" });
    const { decision, reason } = await hook.type("/ralph go");
    expect(decision).toBe("block");
    expect(reason).toContain("converge.yaml");
    expect(reason).toContain("limitz");
    expect(await hook.stop("Anything.")).toEqual({});
  });

  it("shows the status of the loop, or that there is none", async () => {
    const hook = claudeHook();
    expect(await hook.type("/ralph-status")).toEqual({
      decision: "block",
      reason: "No Ralph loop. This session has no loop; /ralph starts one",
    });
    await hook.type('/ralph "count to three" --gate "test -e counted"');
    const { decision, reason } = await hook.type("/ralph-status");
    expect(decision).toBe("block");
    for (const words of ["Iteration 1 of 100", "count to three", "test -e counted", "/cancel-ralph"])
      expect(reason).toContain(words);
  });

  it("cancels the loop, and does not continue the next turn", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    const { decision, reason } = await hook.type("/cancel-ralph");
    expect(decision).toBe("block");
    expect(reason).toMatch(
      /^Ralph loop cancelled\. Stopped in iteration 1: cancelled by a person\. Run \S+$/,
    );
    expect(await hook.stop("On it.")).toEqual({});
    expect((await hook.type("/cancel-ralph")).reason).toContain("This session has no loop");
  });
});

describe("a turn that ends in Claude Code", () => {
  it("is ignored without a loop, without opening or creating anything", async () => {
    const hook = claudeHook();
    for (const event of Object.values(HOOKS))
      expect(await hook.call(event, { last_assistant_message: PROMISED, prompt: "hello" })).toEqual({});
    expect(fs.readdirSync(hook.files)).toEqual([]);
  });

  it("continues with the prompt until the promise", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    const second = await hook.stop("On it.");
    expect(second.decision).toBe("block");
    expect(second.reason).toContain("[Converge: iteration 2 of at most 100]");
    expect(second.systemMessage).toBe("Ralph loop. Iteration 2 of 100");
    const last = await hook.stop(PROMISED);
    expect(last.decision).toBeUndefined();
    expect(last.systemMessage).toMatch(/^Ralph loop complete\. 2 iterations: /);
    expect(await hook.stop("Bye.")).toEqual({});
  });

  it("ends at the last iteration", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go --max-iterations 2");
    await hook.stop("One.");
    const last = await hook.stop("Two.");
    expect(last.decision).toBeUndefined();
    expect(last.systemMessage).toMatch(/^Ralph loop stopped\. all 2 iterations are used/);
  });

  it("continues when the gates reject the promise, with their output", async () => {
    const hook = claudeHook();
    await hook.type('/ralph go --gate "cat counted"');
    const refused = await hook.stop(PROMISED);
    expect(refused.decision).toBe("block");
    expect(refused.reason).toContain("counted: No such file");
    write(hook.dir, { counted: "" });
    expect((await hook.stop(PROMISED)).systemMessage).toMatch(/^Ralph loop complete\. 2 iterations/);
  });

  it("does not continue another session in the same folder", async () => {
    const hook = claudeHook();
    const other = hook.another("another");
    await hook.type("/ralph go");
    expect(await other.stop(PROMISED)).toEqual({});
    expect((await other.type("/cancel-ralph")).reason).toContain("This session has no loop");
    expect((await hook.type("/ralph-status")).reason).toContain("Iteration 1 of 100");
  });

  it("ignores a subagent's turn", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    expect(await hook.stop(PROMISED, { agent_id: "a1", agent_type: "Explore" })).toEqual({});
    expect((await hook.stop("On it.")).reason).toContain("[Converge: iteration 2");
  });

  it("keeps its iteration after an error, and continues with the next turn", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    const broken = await hook.call("failure", {
      error: "server_error",
      last_assistant_message: "API Error: 529 Overloaded",
    });
    expect(broken.systemMessage).toContain("API Error: 529 Overloaded");
    expect(broken.systemMessage).toContain("The loop continues after your next message.");
    expect((await hook.call("failure", { error: "rate_limit" })).systemMessage).toContain("rate_limit");
    expect((await hook.type("/ralph-status")).reason).toContain("Iteration 1 of 100");
    expect((await hook.stop("On it.")).reason).toContain("[Converge: iteration 2");
  });

  it("ends the loop only when the session is cleared", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    for (const reason of ["other", "logout", "prompt_input_exit", "resume"])
      expect(await hook.call("end", { reason })).toEqual({});
    expect((await hook.type("/ralph-status")).reason).toContain("Iteration 1 of 100");
    expect(await hook.call("end", { reason: "clear" })).toEqual({});
    expect(await hook.stop("On it.")).toEqual({});
  });
});

describe("a hook with invalid input or state", () => {
  it.each([
    ["nothing", ""],
    ["garbage", "\u0000{]"],
    ["another JSON", "[1, 2]"],
    ["no session", '{"session_id": 7}'],
    ["extreme nesting", "[".repeat(200_000)],
  ])("leaves the session alone and reports invalid JSON: %s", async (_, text) => {
    for (const event of Object.values(HOOKS))
      expect(await claudeHook().raw(event, text)).toEqual({
        systemMessage: "converge: the hook received invalid JSON; the session was left alone",
      });
  });

  it("handles a huge message", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    expect((await hook.stop("x".repeat(20_000_000))).reason).toContain("[Converge: iteration 2");
  });

  it("blocks the start when the store is broken, and leaves a turn alone, each with the reason", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    for (const end of ["-wal", "-shm"])
      fs.rmSync(path.join(hook.files, "state", `converge.db${end}`), { force: true });
    fs.writeFileSync(path.join(hook.files, "state", "converge.db"), "not a database ".repeat(1_000));
    const started = await hook.type("/ralph again");
    expect(started.decision).toBe("block");
    expect(started.reason).toMatch(/^cannot use the store .*converge\.db/);
    const stopped = await hook.stop("On it.");
    expect(stopped.decision).toBeUndefined();
    expect(stopped.systemMessage).toMatch(
      /^converge: cannot use the store .*converge\.db.*; the session was left alone$/s,
    );
  });

  it("reports an unreadable state folder", async () => {
    const hook = claudeHook();
    fs.mkdirSync(path.join(hook.files, "state"));
    fs.symlinkSync("sessions", path.join(hook.files, "state", "sessions"));
    expect((await hook.type("/ralph go")).reason).toMatch(/^converge: ELOOP.*not executed$/);
    expect((await hook.stop("On it.")).systemMessage).toMatch(/^converge: ELOOP.*left alone$/);
  });

  it("moves an invalid state file aside, and reports it", async () => {
    const hook = claudeHook();
    await hook.type("/ralph go");
    const dir = path.join(hook.files, "state", "sessions");
    const [file = ""] = fs.readdirSync(dir);
    fs.writeFileSync(path.join(dir, file), "{");
    const { decision, systemMessage } = await hook.stop("On it.");
    expect(decision).toBeUndefined();
    expect(systemMessage).toContain("could not be read (it is not JSON)");
    expect(await hook.stop("On it.")).toEqual({});
  });
});

describe("installed twice", () => {
  it("lets the hooks in the settings answer, and the plugin's hook defers while they exist", async () => {
    const hook = claudeHook();
    const plugin = claudeHook(hook.session, hook);
    plugin.env.CLAUDE_PLUGIN_ROOT = "/plugins/converge";
    const options = { scope: "project", dir: hook.dir, env: hook.env } as const;
    installClaude(options);
    expect(await plugin.type("/ralph go")).toEqual({});
    await hook.type("/ralph go");
    expect(await plugin.stop("On it.")).toEqual({});
    expect((await hook.stop("On it.")).reason).toContain("[Converge: iteration 2");
    uninstallClaude(options);
    expect((await plugin.stop("On it.")).reason).toContain("[Converge: iteration 3");
  });

  it.each(["home/.claude/settings.json", "config/settings.json"])("reads the user's %s", async (file) => {
    const hook = claudeHook();
    const settings = {
      hooks: { Stop: [{ hooks: [{ type: "command", command: "converge hook claude-stop" }] }] },
    };
    write(hook.files, { [file]: JSON.stringify(settings) });
    if (file.startsWith("config")) hook.env.CLAUDE_CONFIG_DIR = path.join(hook.files, "config");
    await hook.type("/ralph go");
    hook.env.CLAUDE_PLUGIN_ROOT = "/plugins/converge";
    expect(await hook.stop("On it.")).toEqual({});
    // Only for the events of those hooks.
    expect((await hook.type("/ralph-status")).reason).toContain("Iteration 1 of 100");
  });

  it("ignores settings without our hooks, and unreadable ones", async () => {
    const hook = claudeHook();
    hook.env.CLAUDE_PLUGIN_ROOT = "/plugins/converge";
    const others = {
      hooks: { Stop: [7, null, { hooks: [{ command: "diverge hook claude-stop" }, { command: 1 }] }] },
    };
    write(hook.dir, { ".claude/settings.json": JSON.stringify(others), ".claude/settings.local.json": "{" });
    await hook.type("/ralph go");
    expect((await hook.stop("On it.")).reason).toContain("[Converge: iteration 2");
  });
});

describe("the cap on turns in a row", () => {
  it.each([
    [undefined, 8],
    ["", 8],
    ["abc", 8],
    ["20", 20],
    ["0", Number.POSITIVE_INFINITY],
    ["-1", Number.POSITIVE_INFINITY],
  ])("%s means %s", (value, cap) => expect(blockCap(value)).toBe(cap));

  it("is raised in the settings that contain our hook when a loop needs more", async () => {
    const hook = claudeHook();
    const file = path.join(hook.dir, ".claude", "settings.json");
    installClaude({ scope: "project", dir: hook.dir, env: hook.env });
    hook.env[BLOCK_CAP] = "100";
    const before = fs.readFileSync(file, "utf8");
    expect((await hook.type("/ralph go --max-iterations 100")).systemMessage).not.toContain(BLOCK_CAP);
    expect(fs.readFileSync(file, "utf8")).toBe(before);
    const { systemMessage } = await hook.type("/ralph go --max-iterations 250");
    expect(systemMessage).toContain(`Raised ${BLOCK_CAP} from 100 to 250 in ${file}`);
    expect(fs.readFileSync(file, "utf8")).toBe(before.replace('"100"', '"250"'));
  });

  it("is only mentioned when the settings cannot be written, and the loop still starts", async () => {
    const hook = claudeHook();
    const file = path.join(hook.dir, ".claude", "settings.json");
    installClaude({ scope: "project", dir: hook.dir, env: hook.env });
    hook.env[BLOCK_CAP] = "100";
    fs.mkdirSync(temporaryFor(file));
    const { decision, systemMessage } = await hook.type("/ralph go --max-iterations 250");
    expect([decision, systemMessage?.includes(`"${BLOCK_CAP}": "250"`)]).toEqual([undefined, true]);
  });

  it("is only mentioned when the hook or the cap comes from elsewhere", async () => {
    const advice = `add "env": {"${BLOCK_CAP}": "100"} to the settings`;
    const plugin = claudeHook();
    expect((await plugin.type("/ralph go")).systemMessage).toContain(advice);
    expect(fs.existsSync(path.join(plugin.dir, ".claude"))).toBe(false);
    const elsewhere = claudeHook();
    installClaude({ scope: "project", dir: elsewhere.dir, env: elsewhere.env });
    elsewhere.env[BLOCK_CAP] = "20";
    const { systemMessage } = await elsewhere.type("/ralph go");
    expect(systemMessage).toContain("after 20 turns in a row");
    expect(systemMessage).toContain(advice);
  });
});
